import {
  type CallPart,
  isCall,
  type Line,
  type LiveEvent,
  rawTextOf,
  type RootId,
  type TreeEvent,
  type TreeEventOf,
} from "@colloquy/schema";

/** What happens in a main dialog, in the order in which people see it. */
export type Said =
  /** More of a message. `message`: the same for all of one message. */
  | { readonly type: "text"; readonly message: string; readonly agent: string; readonly text: string }
  | { readonly type: "thinking"; readonly message: string; readonly agent: string; readonly text: string }
  | { readonly type: "call"; readonly call: string; readonly tool: string; readonly input: unknown }
  | { readonly type: "result"; readonly call: string; readonly output: string; readonly failed: boolean }
  | { readonly type: "usage"; readonly input: number; readonly output: number }
  /** A person's message. */
  | { readonly type: "message"; readonly by: string; readonly text: string; readonly msgId?: string | undefined }
  /** A question was asked or changed, in this dialog or below it. */
  | { readonly type: "question"; readonly question: string };

/** Joins live text and recorded steps of a main dialog: each word once. */
export class Teller {
  /** The last event told. */
  seq: number;
  readonly rootId: RootId;
  #ready: Said[] = [];
  /** The live text of each generation so far. */
  readonly #heard = new Map<string, string>();
  /** Generations whose live text broke off: the rest comes when it is recorded. */
  readonly #broken = new Set<string>();
  /** A generation whose beginning was missed: its text comes when it is recorded, and until then nothing overtakes it. */
  #missed: string | undefined;
  /** By agent, the message that its next generation continues, because the output limit had cut it off. */
  readonly #continued = new Map<string, string>();
  /** Calls of the whole tree that have not ended. */
  readonly #calls = new Map<string, CallPart>();

  constructor(rootId: RootId, after: number) {
    this.rootId = rootId;
    this.seq = after;
  }

  get hasMore(): boolean {
    return this.#ready.length > 0;
  }

  take(): readonly Said[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /** An open call of the tree that was told of. */
  callOf(id: string): CallPart | undefined {
    return this.#calls.get(id);
  }

  live(event: LiveEvent): void {
    if (event.dialog.selfId !== (this.rootId as string)) return;
    const generation = nameOf(event.agent, event.course, event.genseq);
    if (this.#broken.has(generation)) return;
    if (event.type === "generating_start_evt" && this.#missed === undefined) this.#begin(generation, event.agent);
    if (event.type !== "saying_start_evt" && event.type !== "saying_chunk_evt" && event.type !== "thinking_chunk_evt") return;
    const heard = this.#heard.get(generation);
    if (heard === undefined) this.#missed ??= generation;
    else if (event.type === "thinking_chunk_evt") this.#tell("thinking", generation, event.agent, event.text);
    else if (event.type === "saying_chunk_evt") this.#say(generation, event.agent, event.text);
    else if (heard !== "") this.#say(generation, event.agent, "\n\n");
  }

  /** Live output may begin again: what was heard is not told twice. */
  dropped(): void {
    for (const generation of this.#heard.keys()) this.#broken.add(generation);
  }

  commit({ seq, events }: Line<TreeEvent>): void {
    for (const event of events.slice(Math.max(0, this.seq + 1 - seq))) this.#event(event);
    this.seq = Math.max(this.seq, seq + events.length - 1);
  }

  #event(event: TreeEvent): void {
    if (event.type === "step.ended" && event.usage)
      this.#ready.push({ type: "usage", input: event.usage.input, output: event.usage.output });
    if (event.type === "step.ended") for (const part of event.parts) if (isCall(part)) this.#calls.set(part.call, part);
    if (event.type === "call.ended") this.#calls.delete(event.call);
    if (event.type === "question.asked" || event.type === "question.revised")
      this.#ready.push({ type: "question", question: event.question });
    if (event.dialog !== (this.rootId as string)) return;
    switch (event.type) {
      case "message.added": {
        const { by, content: text, msgId } = event;
        return void this.#ready.push({ type: "message", by, text, msgId });
      }
      case "step.ended":
        return this.#step(event);
      case "call.ended":
        return void this.#ready.push({ type: "result", call: event.call, output: event.output, failed: event.outcome !== undefined });
      // The call that asked has the question's id. An approved call has a result of its own.
      case "question.closed":
        if (event.verdict !== undefined || event.more !== undefined) return;
        return void this.#ready.push({
          type: "result",
          call: event.question,
          output: [...(event.choice ?? []), ...(event.content === undefined ? [] : [event.content])].join("\n") || event.as,
          failed: event.as !== "answered",
        });
      default:
    }
  }

  /** A generation that failed is begun anew: what was heard of it cannot be taken back. */
  #begin(generation: string, agent: string): void {
    if (this.#heard.get(generation)) this.#tell("text", generation, agent, "\n\n");
    this.#heard.set(generation, "");
  }

  #step(event: TreeEventOf<"step.ended">): void {
    const { agent } = event;
    const generation = nameOf(agent, event.course, event.gen);
    const text = rawTextOf(event.parts);
    const heard = this.#heard.get(generation) ?? "";
    // If something else was heard, the record counts.
    this.#say(generation, agent, text.startsWith(heard) ? text.slice(heard.length) : `\n\n${text}`);
    this.#heard.delete(generation);
    this.#broken.delete(generation);
    this.#missed = undefined;
    if (event.finish === "length") this.#continued.set(agent, this.#continued.get(agent) ?? generation);
    else this.#continued.delete(agent);
    for (const part of event.parts)
      if (isCall(part)) this.#ready.push({ type: "call", call: part.call, tool: part.tool, input: part.input });
  }

  #say(generation: string, agent: string, text: string): void {
    this.#heard.set(generation, (this.#heard.get(generation) ?? "") + text);
    this.#tell("text", generation, agent, text);
  }

  #tell(type: "text" | "thinking", generation: string, agent: string, text: string): void {
    if (text !== "") this.#ready.push({ type, message: this.#continued.get(agent) ?? generation, agent, text });
  }
}

const nameOf = (agent: string, course: number, generation: number): string => `${agent}-${course}-${generation}`;
