import type { ModelMessage } from "@colloquy/schema";
import { messageTokens } from "../step/message-size.ts";
import type { News } from "./stalled-news.ts";

/** A message waiting to be shown to one turn or, without a turn, to the next one. */
export interface Pending {
  readonly seq: number;
  /** Its position among the messages shown with it. */
  readonly place: number;
  readonly turn: number | undefined;
  readonly message: ModelMessage;
  /** `trigger`: words the agent must answer. `said`: words between others. `notice`: words from the system. */
  readonly kind: "trigger" | "said" | "notice";
  /** The speaker. */
  readonly who?: string;
  /** Its number among the messages of the dialog that this view has seen. */
  readonly nth?: number;
  readonly news?: News | undefined;
}

/** The first message of a course comes before everything that was unread when the course began. */
const OPENING_SEQ = 0;

/** Messages the agent has not been shown yet. */
export class PendingMessages {
  #all: Pending[] = [];

  add(pending: Pending): void {
    this.#all.push(pending);
  }

  /** Removes and returns the messages that are due, in display order. */
  take(isDue: (one: Pending) => boolean): readonly Pending[] {
    const due = this.#all.filter(isDue).toSorted((a, b) => a.place - b.place || a.seq - b.seq);
    this.#all = this.#all.filter((one) => !isDue(one));
    return due;
  }

  /** The turn has ended. Its unread messages go to the next turn. */
  leave(turn: number): void {
    // A note that introduces a message is useless once its turn is over.
    const kept = this.#all.filter((one) => one.turn !== turn || one.place === one.seq);
    this.#all = kept.map((one) => (one.turn === turn ? { ...one, turn: undefined } : one));
  }

  keep(isKept: (one: Pending) => boolean): void {
    this.#all = this.#all.filter(isKept);
  }

  open(text: string): void {
    this.#all.unshift({ seq: OPENING_SEQ, place: OPENING_SEQ, kind: "notice", turn: undefined, message: { role: "user", text } });
  }

  seqs(): ReadonlySet<number> {
    return new Set(this.#all.map((one) => one.seq));
  }

  texts(): ReadonlySet<string> {
    return new Set(this.#all.map(({ message }) => ("text" in message ? message.text : "")));
  }

  /** Estimated tokens of the messages waiting for this turn. */
  tokens(turn: number): number {
    const mine = this.#all.filter((one) => one.turn === undefined || one.turn === turn);
    return mine.reduce((sum, { message }) => sum + messageTokens(message), 0);
  }
}
