import { type AgentId, type CallId, type CallPart, type DialogId, isCall, type ModelMessage, type Part, textOf, type TreeEvent } from "@colloquy/schema";

interface Pending {
  readonly seq: number;
  readonly message: ModelMessage;
}

/** Who is speaking, for others. */
export type NameOf = (agent: AgentId) => string;

/**
 * What one agent is shown of one dialog's course. It only ever grows at its end: a later request has the earlier one as its
 * prefix, and costs what is new. Made from the events of the course in order; it holds the bodies that folded state does not.
 *
 * What arrives while a step is in flight waits in `pending` and stands behind what that step said, because that is when the
 * agent reads it. Results come first there: providers want them right behind their calls.
 */
export class AgentView {
  readonly #dialog: DialogId;
  readonly #agent: AgentId;
  readonly #nameOf: NameOf;
  readonly #shown: ModelMessage[] = [];
  /** Calls that have no result yet, with the input that folded state does not hold. */
  readonly #calls = new Map<CallId, CallPart>();
  #pending: Pending[] = [];
  #seq: number;
  #size = 0;

  /** `after`: the events from the next one on will come. */
  constructor(dialog: DialogId, agent: AgentId, after: number, nameOf: NameOf) {
    this.#dialog = dialog;
    this.#agent = agent;
    this.#seq = after;
    this.#nameOf = nameOf;
  }

  /** The last event that it knows. */
  get seq(): number {
    return this.#seq;
  }

  /** A call that waits for its result. */
  call(id: CallId): CallPart | undefined {
    return this.#calls.get(id);
  }

  receive(seq: number, event: TreeEvent): void {
    this.#seq = seq;
    if (event.dialog !== this.#dialog) return;
    switch (event.type) {
      case "message.added":
        this.#pending.push({ seq, message: { role: "user", text: event.content } });
        return;
      case "note.added":
        if (event.agent === this.#agent) this.#pending.push({ seq, message: { role: "system", text: `[System]: ${event.text}` } });
        return;
      case "step.ended":
        if (event.agent === this.#agent) this.#speak(event.seen, event.parts, event.model);
        else this.#hear(seq, event.agent, textOf(event.parts));
        return;
      case "call.ended":
        if (event.agent !== this.#agent) return;
        this.#pending.push({ seq, message: this.#result(event.call, event.output, event.outcome !== undefined) });
        return;
      default:
        return;
    }
  }

  /** Everything up to `seen`, in the order in which this agent is shown it. The array is shared and append-only. */
  show(seen: number): readonly ModelMessage[] {
    const due = this.#pending.filter((one) => one.seq <= seen);
    this.#pending = this.#pending.filter((one) => one.seq > seen);
    const isResult = ({ message }: Pending) => message.role === "result";
    for (const { message } of due.filter(isResult)) this.#append(message);
    for (const { message } of due.filter((one) => !isResult(one))) this.#append(message);
    return this.#shown;
  }

  /** Characters shown, for an estimate of tokens. */
  get size(): number {
    return this.#size;
  }

  #append(message: ModelMessage): void {
    this.#shown.push(message);
    this.#size += message.role === "assistant" ? JSON.stringify(message.parts).length : textLength(message);
  }

  #speak(seen: number, parts: readonly Part[], model: string | undefined): void {
    this.show(seen);
    for (const part of parts.filter(isCall)) this.#calls.set(part.call, part);
    if (parts.length > 0) this.#append({ role: "assistant", parts, model });
  }

  #hear(seq: number, agent: AgentId, text: string): void {
    if (text !== "") this.#pending.push({ seq, message: { role: "system", text: `[${this.#nameOf(agent)}]: ${text}` } });
  }

  #result(call: CallId, output: string, failed: boolean): ModelMessage {
    const tool = this.#calls.get(call)?.tool ?? "";
    this.#calls.delete(call);
    return { role: "result", call, tool, output, failed };
  }
}

const textLength = (message: Exclude<ModelMessage, { role: "assistant" }>): number =>
  message.role === "result" ? message.output.length : message.text.length;
