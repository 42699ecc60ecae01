import { type Image, isCall, isSaying, isThinking, type ModelMessage, type Part } from "@colloquy/schema";

export interface Result {
  readonly call: string;
  readonly tool: string;
  readonly output: string;
  readonly failed: boolean;
}

interface Picture {
  readonly mediaType: string;
  readonly data: Uint8Array;
}

/** Who speaks with the rank of a user: a person, or other agents and the system. */
type Voice = "person" | "others";

/** Consecutive history in one voice. Neighbours with the same role are users with different voices. */
export type Turn =
  | { readonly role: "user"; readonly voice: Voice; readonly texts: readonly string[]; readonly images?: readonly Picture[] }
  | { readonly role: "assistant"; readonly parts: readonly Part[] }
  | { readonly role: "results"; readonly results: readonly Result[] };

type Draft =
  | { readonly role: "user"; readonly voice: Voice; readonly texts: string[]; images?: Picture[] }
  | { readonly role: "assistant"; readonly parts: Part[] }
  | Extract<Turn, { role: "results" }>;

export type AssistantMessage = Extract<ModelMessage, { role: "assistant" }>;
type ThinkingPart = Extract<Part, { thinking: string }>;

/** Which of a model's own thinking is sent back to it. `at` is the message's index in the history. */
export type KeepsThinking = (part: ThinkingPart, message: AssistantMessage, at: number) => boolean;

/**
 * Rules that all providers share: each call is followed by exactly one result; nothing is empty; thinking and opaque parts go back only
 * to the model that made them; others' messages have the rank of a user with attribution in the text, and never share a turn with a
 * person's words.
 */
export function turnsOf(
  messages: readonly ModelMessage[],
  model: string,
  keeps: KeepsThinking,
  images: ReadonlyMap<string, Uint8Array> = new Map(),
): readonly Turn[] {
  const results = resultsByCall(messages);
  const turns: Draft[] = [];
  for (const [at, message] of messages.entries()) {
    switch (message.role) {
      case "system":
        addText(turns, "others", delimited(message.text));
        break;
      case "user":
        addText(turns, "person", message.text);
        for (const image of message.images ?? []) addImage(turns, image, images.get(image.name));
        break;
      case "assistant":
        addAssistant(
          turns,
          message.model === model ? ownParts(message, (part) => keeps(part, message, at)) : foreignParts(message),
          results,
        );
        break;
      case "result":
        // A result that already follows its call isn't repeated; one without a call is still worth reading.
        if (results.get(message.call) !== message) addText(turns, "others", delimited(`[Result of ${message.tool}]: ${message.output}`));
    }
  }
  return turns;
}

/**
 * Others' messages have the rank of a user and may directly precede a person's. In a text of several lines, the last one names its
 * author: otherwise its last paragraph could look like the person's.
 */
function delimited(text: string): string {
  const who = /^\[([^\]\n]{1,80})\]: /.exec(text)?.[1];
  return who === undefined || !text.includes("\n") ? text : `${text}\n[/${who}]`;
}

/** For endpoints that refuse two user messages in a row. The closing lines still separate the voices. */
export function withoutVoices(turns: readonly Turn[]): readonly Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (turn.role !== "user" || last?.role !== "user") joined.push(turn);
    else {
      const images = [...(last.images ?? []), ...(turn.images ?? [])];
      joined[joined.length - 1] = { ...last, texts: [...last.texts, ...turn.texts], ...(images.length > 0 && { images }) };
    }
  }
  return joined;
}

/** For providers whose history must start with a user. */
export const beginningWithUser = (turns: readonly Turn[]): readonly Turn[] =>
  turns[0]?.role === "user" ? turns : [{ role: "user", voice: "others", texts: ["[System]: What came before is not shown."] }, ...turns];

/** For providers that continue a final assistant message, or refuse it. */
export const endingWithUser = (turns: readonly Turn[]): readonly Turn[] =>
  turns.at(-1)?.role === "assistant" ? [...turns, { role: "user", voice: "others", texts: ["[System]: Go on."] }] : turns;

/** The first result of each call that is really in the history. */
function resultsByCall(messages: readonly ModelMessage[]): ReadonlyMap<string, Result> {
  const calls = new Set<string>();
  const results = new Map<string, Result>();
  for (const message of messages) {
    if (message.role === "assistant") for (const part of message.parts) if (isCall(part)) calls.add(part.call);
    if (message.role === "result" && !results.has(message.call)) results.set(message.call, message);
  }
  for (const call of results.keys()) if (!calls.has(call)) results.delete(call);
  return results;
}

const ownParts = ({ parts }: AssistantMessage, keeps: (part: ThinkingPart) => boolean): readonly Part[] =>
  parts.filter((part) => (isThinking(part) ? keeps(part) : !isSaying(part) || part.saying.trim() !== ""));

const foreignParts = (message: AssistantMessage): readonly Part[] =>
  ownParts(message, () => false).map(({ opaque: _, ...part }) => part as Part);

function addText(turns: Draft[], voice: Voice, text: string): void {
  if (text.trim() === "") return;
  const last = turns.at(-1);
  if (last?.role === "user" && last.voice === voice) last.texts.push(text);
  else turns.push({ role: "user", voice, texts: [text] });
}

/** After the text that it came with. */
function addImage(turns: Draft[], { name, mediaType }: Image, data: Uint8Array | undefined): void {
  if (!data) return addText(turns, "others", `[System]: The image ${name} is gone.`);
  const last = turns.at(-1);
  if (last?.role === "user" && last.voice === "person") last.images = [...(last.images ?? []), { mediaType, data }];
  else turns.push({ role: "user", voice: "person", texts: [`(${name})`], images: [{ mediaType, data }] });
}

function addAssistant(turns: Draft[], parts: readonly Part[], results: ReadonlyMap<string, Result>): void {
  if (parts.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === "assistant") last.parts.push(...parts);
  else turns.push({ role: "assistant", parts: [...parts] });

  const calls = parts.filter(isCall);
  if (calls.length === 0) return;
  turns.push({
    role: "results",
    results: calls.map(({ call, tool }) => {
      const { output, failed } = results.get(call) ?? { output: "No result was recorded.", failed: true };
      return { call, tool, output: output.trim() === "" ? "(no output)" : output, failed };
    }),
  });
}
