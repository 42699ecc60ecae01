/** One step of a pattern. */
export type Step =
  /** This character. */
  | { readonly sign: string }
  /** One character, or with `often` any number of them, that `takes` accepts. */
  | { readonly takes: (sign: string) => boolean; readonly often?: boolean }
  /** The next `optional` steps may be skipped. */
  | { readonly optional: number }
  /** Go back this many steps: they may repeat. */
  | { readonly back: number };

/**
 * Does the text match the whole pattern? All possible positions in the pattern are followed at once, so the work is at most the length of
 * the text times that of the pattern. A regular expression would try the wildcards one by one.
 */
export function fitsSteps(steps: readonly Step[], text: string): boolean {
  let places = new Places(steps);
  let next = new Places(steps);
  places.enter(0);
  for (const sign of text) {
    next.clear();
    for (let nth = 0; nth < places.count; nth += 1) take(steps, places.at(nth), sign, next);
    if (next.count === 0) return false;
    [places, next] = [next, places];
  }
  return places.has(steps.length);
}

/** A reusable set of positions in a pattern, refilled for each character. */
class Places {
  readonly #steps: readonly Step[];
  readonly #held: Uint32Array;
  readonly #heldSince: Uint32Array;
  #round = 1;
  count = 0;

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
    this.#held = new Uint32Array(steps.length + 1);
    this.#heldSince = new Uint32Array(steps.length + 1);
  }

  clear(): void {
    this.#round += 1;
    this.count = 0;
  }

  at(nth: number): number {
    return this.#held[nth] ?? 0;
  }

  has(place: number): boolean {
    return this.#heldSince[place] === this.#round;
  }

  /** Adds a position, and those reachable from it without reading a character. */
  enter(place: number): void {
    if (this.has(place)) return;
    this.#heldSince[place] = this.#round;
    this.#held[this.count] = place;
    this.count += 1;
    const step = this.#steps[place];
    if (!step) return;
    if ("optional" in step) {
      this.enter(place + 1);
      this.enter(place + 1 + step.optional);
    } else if ("back" in step) this.enter(place - step.back);
    else if ("takes" in step && step.often) this.enter(place + 1);
  }
}

function take(steps: readonly Step[], place: number, sign: string, next: Places): void {
  const step = steps[place];
  if (!step || "optional" in step || "back" in step) return;
  if ("sign" in step) {
    if (step.sign === sign) next.enter(place + 1);
  } else if (step.takes(sign)) next.enter(step.often ? place : place + 1);
}

/** A literal piece of a pattern. */
export const literally = (piece: string): readonly Step[] => Array.from(piece, (sign) => ({ sign }));
