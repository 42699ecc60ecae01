import { createHash } from "node:crypto";
import { type BridgeProject, eventStream, exchange, firstContent } from "@colloquy/bridge";
import { type Line, Refused, type RootId, textOf, type TreeEvent } from "@colloquy/schema";
import { type GivenTurn, readInput, type RunInput } from "./input.ts";
import { decisionOf, interruptOf } from "./interrupt.ts";
import { RunEvents } from "./run-events.ts";

/** How the `msgId` of everything that a front end does begins. */
export const PROTOCOL = "agui:";
const PROTOCOL_VERSION = "1.0";

interface RunOptions {
  readonly body: unknown;
  readonly agentId: string;
  readonly signal: AbortSignal;
  /** Of what goes wrong after the run has begun. */
  readonly problemOf: (error: unknown) => { readonly code: string; readonly message: string };
}

/** A run: one request, answered with events until the dialog is idle. The thread is the dialog. Malformed input is thrown. */
export function agUi(project: BridgeProject, { body, agentId, signal, problemOf }: RunOptions): Response {
  const input = readInput(body);
  const data = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
  async function* events(): AsyncGenerator<string> {
    for await (const event of run(project, agentId, input, signal)) yield data(event);
  }
  return eventStream(events(), (error) => data({ type: "RUN_ERROR", ...problemOf(error) }));
}

async function* run(project: BridgeProject, agentId: string, input: RunInput, signal: AbortSignal): AsyncGenerator<object> {
  const { threadId, runId } = input;
  yield { type: "RUN_STARTED", threadId, runId, protocolVersion: PROTOCOL_VERSION };
  const begun = await begin(project, agentId, input);
  const events = new RunEvents(project);
  if (begun) {
    const { rootId, after } = begun;
    if (after === undefined) yield { type: "MESSAGES_SNAPSHOT", messages: messagesIn(await project.events(rootId), rootId) };
    const from = after ?? (await project.view(rootId)).seq;
    for await (const said of exchange(project, { rootId, after: from }, signal)) yield* events.of(said);
    yield* events.close();
    if (signal.aborted) return;
  }
  yield { type: "RUN_FINISHED", threadId, runId, outcome: begun ? await outcomeOf(project, begun.rootId) : { type: "success" } };
}

/** One interrupt: clients must answer all that a run ends with, and people answer one by one. */
async function outcomeOf(project: BridgeProject, rootId: RootId): Promise<object> {
  const [first, ...others] = await project.questions(rootId);
  if (first) return { type: "interrupt", interrupts: [interruptOf(first, project, others.length)] };
  const { stopped } = await project.view(rootId);
  return { type: stopped ? "cancelled" : "success" };
}

/** `after`: absent if the run brings nothing new. */
interface Begun {
  readonly rootId: RootId;
  readonly after?: number;
}

/** Carries out what the run brings: decisions first, then the messages behind the agent's last one. */
async function begin(project: BridgeProject, agentId: string, { threadId, runId, turns, resume }: RunInput): Promise<Begun | undefined> {
  const thread = `${PROTOCOL}${hashOf(`${agentId}\n${threadId}`)}:`;
  const decisions = await Promise.all(resume.map((entry) => decisionOf(project, entry)));
  const [created] = await project.createdAs(thread);
  let rootId = created?.rootId ?? (await namedBy(project, threadId)) ?? decisions[0]?.rootId;
  if (decisions.some((decision) => decision.rootId !== rootId))
    throw new Refused({ code: "bad_request", message: "These interrupts belong to another thread." });
  let after: number | undefined;
  for (const [nth, { carryOut }] of decisions.entries()) {
    const receipt = await carryOut(`${thread}${hashOf(`${runId}\n${nth}`)}`);
    // The answer itself is the result of the call that asked.
    if (receipt) after ??= receipt.seq - 1;
  }
  const isNew = (nth: number) => nth > turns.findLastIndex(({ role }) => role === "assistant");
  const fresh = turns.filter(({ role }, nth) => role === "user" && isNew(nth));
  for (const turn of fresh) {
    const msgId = `${thread}${hashOf(turn.id)}`;
    // The same creation again gives the same dialog.
    if (rootId === undefined || created?.msgId === msgId) {
      const made = await project.create({ agentId, msgId, ...firstContent(upTo(turns, turn), project.language), images: turn.images });
      rootId = made.rootId;
      after ??= made.seq;
    } else {
      const isAsking = (await project.questions(rootId)).length > 0;
      const { seq } = await project.send(rootId, { content: turn.text, images: turn.images, msgId, ...(isAsking && { now: true }) });
      after ??= seq;
    }
  }
  return rootId === undefined ? undefined : { rootId, ...(after !== undefined && { after }) };
}

const upTo = (turns: readonly GivenTurn[], last: GivenTurn): readonly GivenTurn[] => turns.slice(0, turns.indexOf(last) + 1);

/** The dialog whose id the thread is. */
async function namedBy(project: BridgeProject, threadId: string): Promise<RootId | undefined> {
  try {
    return (await project.view(threadId)).rootId;
  } catch (error) {
    if (error instanceof Refused && error.code === "not_found") return undefined; // a thread that begins here
    throw error;
  }
}

/** The conversation as it is recorded. */
function messagesIn(lines: readonly Line<TreeEvent>[], rootId: RootId): readonly object[] {
  return lines.flatMap(({ seq, events }) =>
    events.flatMap((event, nth): readonly object[] => {
      if (event.dialog !== (rootId as string)) return [];
      const id = `${rootId}-${seq + nth}`;
      if (event.type === "message.added") return [{ id, role: "user", content: event.content }];
      if (event.type !== "step.ended" || textOf(event.parts) === "") return [];
      return [{ id, role: "assistant", content: textOf(event.parts) }];
    }),
  );
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 24);
