import { isCall, rawTextOf, type TreeEventOf, textOf } from "@colloquy/schema";
import type { Words } from "../step/step-result.ts";

type Growing = { ends: string[]; last: string; cut: string; told: string[] };

/** What each open turn said and was told, kept for the answer it owes. */
export class TurnWords {
  readonly #words = new Map<number, Growing>();

  of(turn: number): Words {
    return this.#words.get(turn) ?? { ends: [], last: "", cut: "", told: [] };
  }

  say({ turn, parts, reached, finish, whole }: TreeEventOf<"step.ended">): void {
    const text = whole ?? textOf(parts);
    const words = this.#wordsOf(turn);
    // A text with calls is complete, so it is not continued.
    words.cut = finish === "length" && !parts.some(isCall) ? words.cut + rawTextOf(parts) : "";
    if (text !== "") words.last = text;
    if (reached && text !== "") words.ends.push(text);
  }

  tell(turn: number, said: string): void {
    this.#wordsOf(turn).told.push(said);
  }

  forget(turn: number): void {
    this.#words.delete(turn);
  }

  #wordsOf(turn: number): Growing {
    const known = this.#words.get(turn);
    if (known) return known;
    const words = { ends: [], last: "", cut: "", told: [] };
    this.#words.set(turn, words);
    return words;
  }
}
