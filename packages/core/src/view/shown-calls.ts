import { type AskId, type CallId, type CallPart, isCall, type ModelMessage, type TreeEventOf } from "@colloquy/schema";
import type { Texts } from "../texts/texts.ts";
import { tokensOf } from "./tokens.ts";

/** The outcome of a call, or of one of the asks that it made. */
export interface Answered {
  readonly seq: number;
  readonly output: string;
  readonly failed: boolean;
  /** Says what it answers, in case it arrives late. It does not use the call's input, which a rebuilt view may not have. */
  readonly label: string;
}

/** A call that was shown, and its outcome. */
interface ShownCall {
  readonly part: CallPart;
  readonly turn: number;
  /** How many answers it waits for: several if the call asks several agents, none if it is no ask. */
  asks: number;
  answers: Answered[];
  /** An interim text has taken the result's place, so the answer follows as a message. */
  isFrozen: boolean;
}

/**
 * An agent's calls that wait for their results. A result is frozen once sent: if the agent took another step while a call was open, an
 * interim text took the result's place, and the answer follows as a message.
 */
export class ShownCalls {
  readonly #calls = new Map<CallId, ShownCall>();
  /** The call each ask belongs to. */
  readonly #askCalls = new Map<AskId, CallId>();
  readonly #tellLate: (turn: number | undefined, answer: Answered) => void;

  /** `tellLate`: called when the call's result is frozen. The answer then follows as a message that says what it answers. */
  constructor(tellLate: (turn: number | undefined, answer: Answered) => void) {
    this.#tellLate = tellLate;
  }

  get(id: CallId): { readonly part: CallPart; readonly turn: number } | undefined {
    return this.#calls.get(id);
  }

  made({ parts, turn }: TreeEventOf<"step.ended">): void {
    for (const part of parts.filter(isCall)) {
      this.#calls.set(part.call, { part, turn, asks: 0, answers: [], isFrozen: part.inText ?? false });
    }
  }

  /** The call waits for one more answer. */
  asked(ask: AskId, id: CallId): void {
    const call = this.#calls.get(id);
    if (call) call.asks += 1;
    this.#askCalls.set(ask, id);
  }

  /** Ends an ask and returns the call that made it. */
  takeAsk(ask: AskId): CallId | undefined {
    const call = this.#askCalls.get(ask);
    this.#askCalls.delete(ask);
    return call;
  }

  answer(id: CallId | undefined, turn: number | undefined, answer: Answered): void {
    const call = id === undefined ? undefined : this.#calls.get(id);
    if (call && !call.isFrozen) call.answers.push(answer);
    else this.#answerLate(call, turn, answer);
  }

  /** A person approved the call with a changed input, which is what will run. */
  changeInput(id: CallId, input: unknown): void {
    const call = this.#calls.get(id);
    if (call) this.#calls.set(id, { ...call, part: { ...call.part, input } });
  }

  /** Gives every call its one result for this request: the result known by then, or an interim text. */
  settle(seen: number, texts: () => Texts): readonly ModelMessage[] {
    const results: ModelMessage[] = [];
    for (const [id, call] of this.#calls) if (!call.isFrozen) results.push(this.#settleOne(id, call, seen, texts));
    return results;
  }

  /** A new course shows no earlier calls. Answers for a turn that is still open are repeated. */
  startAnew(isOpen: (turn: number) => boolean): void {
    for (const call of this.#calls.values()) {
      if (call.isFrozen) continue;
      call.isFrozen = true;
      const { answers } = call;
      call.answers = [];
      if (isOpen(call.turn) && call.asks > 0) for (const answer of answers) this.#answerLate(call, undefined, answer);
      else if (answers.length > 0) this.#calls.delete(call.part.call);
    }
  }

  /** Estimated tokens of answers that have not been shown. */
  get unreadTokens(): number {
    return [...this.#calls.values()].flatMap((call) => call.answers).reduce((sum, { output }) => sum + tokensOf(output), 0);
  }

  #settleOne(id: CallId, call: ShownCall, seen: number, texts: () => Texts): ModelMessage {
    const known = call.answers.filter((answer) => answer.seq <= seen);
    const late = call.answers.filter((answer) => answer.seq > seen);
    const isWhole = known.length >= Math.max(1, call.asks);
    const outputs = [...(isWhole ? [] : [texts().inProgress(call.part.tool)]), ...known.map((answer) => answer.output)];
    const failed = isWhole && known.every((answer) => answer.failed);
    if (isWhole) this.#calls.delete(id);
    else {
      call.asks = Math.max(1, call.asks) - known.length;
      call.answers = [];
      call.isFrozen = true;
      for (const answer of late) this.#answerLate(call, undefined, answer);
    }
    return { role: "result", call: id, tool: call.part.tool, output: outputs.join("\n\n"), failed };
  }

  #answerLate(call: ShownCall | undefined, turn: number | undefined, answer: Answered): void {
    if (call && --call.asks <= 0) this.#calls.delete(call.part.call);
    this.#tellLate(call?.turn ?? turn, answer);
  }
}
