import type { RootId } from "@colloquy/schema";

/** So many last digits of a tree's id stand in the middle of every id that is made in it. */
const DIGITS = 8;

/** Trees by the end of their ids: what leads from a question or a dialog to its tree, however many trees there are. */
export class Endings {
  readonly #trees = new Map<string, RootId | RootId[]>();

  constructor(trees: Iterable<RootId>) {
    for (const id of trees) this.add(id);
  }

  add(id: RootId): void {
    const end = id.slice(-DIGITS);
    const known = this.#trees.get(end);
    this.#trees.set(end, known === undefined ? id : [...[known].flat(), id]);
  }

  /** Undefined where the digits are too few to be looked up. */
  find(digits: string): readonly RootId[] | undefined {
    if (digits.length < DIGITS) return undefined;
    const known = this.#trees.get(digits.slice(-DIGITS)) ?? [];
    return [known].flat().filter((id) => id.endsWith(digits));
  }
}
