import { createHash, randomBytes } from "node:crypto";
import { type BridgeProject, chosenIn, type Creation, decidesHere, firstContent, type Turn } from "@colloquy/bridge";
import { type QuestionView, Refused, type RootId, textOf, type TreeEvent } from "@colloquy/schema";
import { BadRequest } from "./errors.ts";
import type { Asked } from "./requests.ts";
import { isShownIn } from "./shown.ts";

/** How the `msgId` of every message of this API begins. */
export const PROTOCOL = "openai:";
/** Candidates with the same first message that are compared, newest first. */
const MAX_CANDIDATES = 50;
/** A reply ends with its question, and the question's id is in the link behind it. An agent's words may name any number of ids. */
const MAX_IDS = 20;

/** How a request was sent. */
export interface Sending {
  /** The client repeats it because it got no answer. */
  readonly isRetry: boolean;
  /** The client's own key: the same one again has no second effect. */
  readonly key?: string | undefined;
  /** The question that the previous response showed, if it is known. */
  readonly shown?: { readonly question: string; readonly shown: string } | undefined;
}

/** Where a request's answer is read: in this dialog, after this `seq`. */
export interface Begun {
  readonly rootId: RootId;
  readonly after: number;
  /** What was said since the client's last request, and not in answer to this one. */
  readonly missed: readonly string[];
}

/**
 * Carries out a request. These clients keep the conversation and send all of it each time, so the dialog is found by what they send: the
 * `msgId` of each message names the messages of the person up to it.
 */
export async function begin(project: BridgeProject, agentId: string, asked: Asked, sending: Sending): Promise<Begun> {
  const said = asked.turns.filter(({ role }) => role === "user");
  const last = said.at(-1);
  if (!last || (last.text.trim() === "" && last.images.length === 0))
    throw new BadRequest("The last message must be the user's, with text.", { param: "messages" });
  const keys = keysOf(agentId, said);
  const msgId = `${PROTOCOL}${keys[0]}:${keys.at(-1)}:${sending.key === undefined ? randomBytes(6).toString("hex") : hashOf(sending.key)}`;
  const lastShown = asked.turns.findLast(({ role }) => role === "assistant")?.text;
  const found =
    asked.dialog === undefined
      ? await find(project, { keys, msgId, lastShown, isRetry: sending.isRetry })
      : await named(project, asked.dialog);
  if (!found) {
    const { rootId, seq } = await project.create({ agentId, msgId, ...firstContent(asked.turns, project.language), images: last.images });
    return { rootId, after: seq, missed: [] };
  }
  if (found.isSent) return { rootId: found.rootId, after: found.seq, missed: [] };
  return goOn(project, { ...found, msgId, last, lastShown, shown: sending.shown });
}

interface Found {
  readonly rootId: RootId;
  /** Of the client's last message in it. */
  readonly seq: number;
  /** The request's own message has arrived already. */
  readonly isSent: boolean;
  /** What the dialog's agent said since. */
  readonly said: readonly string[];
}

interface Next extends Found {
  readonly msgId: string;
  readonly last: Turn;
  readonly lastShown: string | undefined;
  readonly shown: Sending["shown"];
}

/** An answer to the question that the client was shown, if the text is exactly one of its choices; else a message. */
async function goOn(project: BridgeProject, { rootId, said, msgId, last, lastShown, shown }: Next): Promise<Begun> {
  const seen = plain(lastShown ?? "");
  const missed = said.filter((text) => !seen.includes(plain(text)));
  const question = await questionShown(project, rootId, lastShown, shown);
  const choice = question && last.images.length === 0 ? chosenIn(question, last.text) : undefined;
  if (question && choice !== undefined) {
    const { seq } = await project.answer(question.id, { choice: [choice], shown: shown?.shown ?? question.shown, msgId });
    return { rootId, after: seq, missed };
  }
  const isAsking = (await project.questions(rootId)).length > 0;
  const { seq } = await project.send(rootId, { content: last.text, images: last.images, msgId, ...(isAsking && { now: true }) });
  return { rootId, after: seq, missed };
}

/** Also one that is closed by now: its choices are then refused with what happened to it. */
async function questionShown(
  project: BridgeProject,
  rootId: RootId,
  lastShown: string | undefined,
  shown: Sending["shown"],
): Promise<QuestionView | undefined> {
  const ids = shown ? [shown.question] : [...new Set(lastShown?.match(/\b[0-9a-f]{32}\b/g) ?? [])];
  for (const id of ids.slice(-MAX_IDS).toReversed()) {
    const question = await known(project, id);
    if (!question || question.dialog.rootId !== rootId || !decidesHere(question)) continue;
    if (shown || (lastShown !== undefined && isShownIn(question, lastShown))) return question;
  }
  return undefined;
}

async function known(project: BridgeProject, id: string): Promise<QuestionView | undefined> {
  try {
    return await project.question(id);
  } catch (error) {
    if (error instanceof Refused) return undefined; // some other id in the text
    throw error;
  }
}

async function named(project: BridgeProject, dialog: string): Promise<Found> {
  const { rootId, seq } = await project.view(dialog);
  return { rootId, seq, isSent: false, said: [] };
}

interface Sought {
  readonly keys: readonly string[];
  readonly msgId: string;
  readonly lastShown: string | undefined;
  readonly isRetry: boolean;
}

/** The dialog whose last message by this client is the request's last but one, or, when the request is repeated, its last. */
async function find(project: BridgeProject, { keys, msgId: own, lastShown, isRetry }: Sought): Promise<Found | undefined> {
  const candidates = (await project.createdAs(`${PROTOCOL}${keys[0]}:`)).slice(0, MAX_CANDIDATES);
  const places = new Map(keys.map((key, nth) => [key, nth]));
  let found: Found | undefined;
  let foundAt = -1;
  // A message that was refused is in the client's history and not in the log: the newest key that is there counts.
  for (const { rootId, ...creation } of candidates) {
    const { msgId, seq, said, headlines } = await stateOf(project, { rootId, ...creation });
    const at = places.get(keyOf(msgId) ?? "") ?? -1;
    if (at <= foundAt) continue;
    const isSent = at === keys.length - 1;
    const isIt = isSent ? isRetry || msgId === own : isSameStory([...said, ...headlines], lastShown);
    if (isIt) [found, foundAt] = [{ rootId, seq, isSent, said }, at];
  }
  return found;
}

/** The client's last message in a dialog, and what was said since. */
async function stateOf(project: BridgeProject, { rootId, msgId: first }: Creation) {
  let msgId = first;
  let seq = 0;
  let said: string[] = [];
  let headlines: string[] = [];
  for (const line of await project.events(rootId))
    for (const [nth, event] of line.events.entries()) {
      const sent = seq === 0 && event.type === "message.added" ? first : sentIn(event);
      if (sent !== undefined) [msgId, seq, said, headlines] = [sent, line.seq + nth, [], []];
      if (event.type === "step.ended" && event.dialog === (rootId as string) && textOf(event.parts) !== "") said.push(textOf(event.parts));
      if (event.type === "question.asked") headlines.push(event.headline);
    }
  return { msgId, seq, said, headlines };
}

/** What the dialog has said in answer to a message, if the client has sent another since. */
export async function saidBefore(project: BridgeProject, rootId: RootId, after: number): Promise<readonly string[] | undefined> {
  const said: string[] = [];
  for (const event of (await project.events(rootId, after)).flatMap(({ events }) => events)) {
    if (sentIn(event) !== undefined) return said;
    if (event.type === "step.ended" && event.dialog === (rootId as string) && textOf(event.parts) !== "") said.push(textOf(event.parts));
  }
  return undefined;
}

/** The `msgId` of this API's message. */
function sentIn(event: TreeEvent): string | undefined {
  const msgId = event.type === "message.added" || event.type === "question.closed" ? event.msgId : undefined;
  return msgId?.startsWith(PROTOCOL) ? msgId : undefined;
}

const keyOf = (msgId: string): string | undefined => msgId.split(":")[2];

/** Two conversations may begin with the same words. Clients cut what they stopped reading, and may change white space. */
function isSameStory(said: readonly string[], lastShown: string | undefined): boolean {
  const seen = plain(lastShown ?? "");
  return seen === "" || said.some((text) => seen.includes(plain(text)) || plain(text).startsWith(seen));
}

const plain = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** For each of the person's messages, a hash of all of them up to it. */
function keysOf(agentId: string, said: readonly Turn[]): readonly string[] {
  let key = hashOf(agentId);
  return said.map(({ text, images }) => (key = hashOf(JSON.stringify([key, text, ...images.map((image) => hashOf(image))]))));
}

const hashOf = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex").slice(0, 24);
