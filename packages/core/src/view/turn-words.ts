import { type TreeEventOf, textOf } from "@colloquy/schema";
import type { Words } from "../decide-step.ts";

/** What each open turn said and was told, for the answer that it owes. */
export class TurnWords {
  readonly #words = new Map<number, { ends: string[]; last: string; told: string[] }>();

  of(turn: number): Words {
    return this.#words.get(turn) ?? { ends: [], last: "", told: [] };
  }

  say({ turn, parts, reached }: TreeEventOf<"step.ended">): void {
    const text = textOf(parts);
    const words = this.#wordsOf(turn);
    if (text !== "") words.last = text;
    if (reached && text !== "") words.ends.push(text);
  }

  tell(turn: number, said: string): void {
    this.#wordsOf(turn).told.push(said);
  }

  forget(turn: number): void {
    this.#words.delete(turn);
  }

  #wordsOf(turn: number): { ends: string[]; last: string; told: string[] } {
    const known = this.#words.get(turn);
    if (known) return known;
    const words = { ends: [], last: "", told: [] };
    this.#words.set(turn, words);
    return words;
  }
}
