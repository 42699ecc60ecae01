/** Pseudo-randomness by seed. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  }

  /** From 0 to 1. */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };

  is(probability: number): boolean {
    return this.next() < probability;
  }

  /** An integer from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** Mostly near the low end, sometimes far from it, like real delays. */
  wait(low: number, high: number): number {
    return low * (high / low) ** (this.next() ** 3);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** By weight. */
  weighed<Item>(items: readonly (readonly [weight: number, item: Item])[]): Item {
    let left = this.next() * items.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of items) if ((left -= weight) < 0) return item;
    return (items.at(-1) as readonly [number, Item])[1];
  }

  /** An independent generator, so that one part's draws don't change the others. */
  fork(): Chance {
    return new Chance(Math.floor(this.next() * 2 ** 31));
  }
}
