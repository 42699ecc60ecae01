import type { DialogId } from "@colloquy/schema";

/**
 * Runs something in a dialog between two model calls: those in progress end first, and none starts before it has run. Kept in memory
 * only: callers that wait here have been promised nothing yet.
 */
export class BetweenSteps {
  readonly #underWay = new Map<DialogId, Set<Promise<unknown>>>();
  readonly #held = new Map<DialogId, { count: number; readonly freed: Promise<void>; readonly free: () => void }>();

  isHeld(dialog: DialogId): boolean {
    return this.#held.has(dialog);
  }

  /** Resolves when nobody waits for a gap between two steps of this dialog. */
  async free(dialog: DialogId): Promise<void> {
    for (let held = this.#held.get(dialog); held; held = this.#held.get(dialog)) await held.freed;
  }

  /** A step, from the request to its model until the reply is committed. */
  async step<T>(dialog: DialogId, take: () => Promise<T>): Promise<T> {
    const underWay = this.#underWay.get(dialog) ?? new Set();
    const taken = take();
    this.#underWay.set(dialog, underWay.add(taken));
    try {
      return await taken;
    } finally {
      underWay.delete(taken);
      if (underWay.size === 0) this.#underWay.delete(dialog);
    }
  }

  async between<T>(dialog: DialogId, act: () => Promise<T>): Promise<T> {
    const held = this.#hold(dialog);
    try {
      const underWay = this.#underWay.get(dialog);
      if (underWay) await Promise.allSettled(underWay);
      return await act();
    } finally {
      held.count -= 1;
      if (held.count === 0) {
        this.#held.delete(dialog);
        held.free();
      }
    }
  }

  #hold(dialog: DialogId): { count: number; readonly free: () => void } {
    const known = this.#held.get(dialog);
    if (known) {
      known.count += 1;
      return known;
    }
    const { promise: freed, resolve: free } = Promise.withResolvers<void>();
    const held = { count: 1, freed, free };
    this.#held.set(dialog, held);
    return held;
  }
}
