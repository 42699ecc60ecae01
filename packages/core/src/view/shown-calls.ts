import { type AskId, type CallId, type CallPart, isCall, type ModelMessage, type TreeEventOf } from "@colloquy/schema";
import type { Texts } from "../texts/texts.ts";
import { tokensOf } from "./tokens.ts";

/** The outcome of a call, or of one of the asks that it made. */
export interface Answered {
  readonly seq: number;
  readonly output: string;
  readonly failed: boolean;
  /** What it answers, in case it comes late. Without the call's own words, which a rebuilt view may not have. */
  readonly label: string;
}

/** A call that was shown, and its outcome. */
interface ShownCall {
  readonly part: CallPart;
  readonly turn: number;
  /** How many answers it waits for: several if one call asks several, none while it is not an ask. */
  asks: number;
  answers: Answered[];
  /** An interim text is already in its place: what comes now follows as a message. */
  isFrozen: boolean;
}

/**
 * An agent's calls that wait for their results. A result is frozen once sent: if a step of the same agent went out while a call was open,
 * an interim text took its place, and the answer follows as a message.
 */
export class ShownCalls {
  readonly #calls = new Map<CallId, ShownCall>();
  /** The call that an answer belongs to. */
  readonly #askCalls = new Map<AskId, CallId>();
  readonly #tellLate: (turn: number | undefined, answer: Answered) => void;

  /** `tellLate`: the call is already in the past, so the answer follows as a message that says what it answers. */
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

  /** The call that made an ask. This ends the ask. */
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

  /** A person approved the call with another input: that one will run. */
  changeInput(id: CallId, input: unknown): void {
    const call = this.#calls.get(id);
    if (call) this.#calls.set(id, { ...call, part: { ...call.part, input } });
  }

  /** With the request each call gets its one result: what was known by then, or an interim text. */
  settle(seen: number, texts: () => Texts): readonly ModelMessage[] {
    const results: ModelMessage[] = [];
    for (const [id, call] of this.#calls) if (!call.isFrozen) results.push(this.#settleOne(id, call, seen, texts));
    return results;
  }

  /** A new course shows none of them; answers to an open turn are repeated. */
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

  /** Estimated tokens of the answers that were not shown. */
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
