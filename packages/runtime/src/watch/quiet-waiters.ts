import type { RootId } from "@colloquy/schema";
import type { LiveTree } from "../engine/live-tree.ts";

interface Waiter {
  readonly onlyFlights: boolean;
  readonly go: () => void;
}

/** Callers that wait for a tree to be quiet. Checking and subscribing are one synchronous step, so no end is missed in between. */
export class QuietWaiters {
  readonly #isQuiet: (tree: LiveTree, onlyFlights: boolean) => boolean;
  readonly #all = new Map<RootId, readonly Waiter[]>();

  constructor(isQuiet: (tree: LiveTree, onlyFlights: boolean) => boolean) {
    this.#isQuiet = isQuiet;
  }

  /** Undefined if nobody need wait. Resolves to false if the signal was aborted first. */
  wait(tree: LiveTree, onlyFlights: boolean, signal: AbortSignal | undefined): { readonly over: Promise<boolean> } | undefined {
    if (this.#isQuiet(tree, onlyFlights)) return undefined;
    if (signal?.aborted) return { over: Promise.resolve(false) };
    const { promise: over, resolve } = Promise.withResolvers<boolean>();
    const leave = () => {
      this.#keep(
        tree.rootId,
        this.#of(tree.rootId).filter((one) => one !== waiter),
      );
      resolve(false);
    };
    const go = () => {
      // One signal may serve any number of waits.
      signal?.removeEventListener("abort", leave);
      resolve(true);
    };
    const waiter: Waiter = { onlyFlights, go };
    this.#keep(tree.rootId, [...this.#of(tree.rootId), waiter]);
    signal?.addEventListener("abort", leave, { once: true });
    return { over };
  }

  /** Call when something in the tree has ended: resolves the callers for whom it is quiet now. */
  rested(tree: LiveTree): void {
    const waiters = this.#of(tree.rootId);
    if (waiters.length === 0) return;
    const left = waiters.filter(({ onlyFlights }) => !this.#isQuiet(tree, onlyFlights));
    this.#keep(tree.rootId, left);
    for (const waiter of waiters) if (!left.includes(waiter)) waiter.go();
  }

  #of(rootId: RootId): readonly Waiter[] {
    return this.#all.get(rootId) ?? [];
  }

  #keep(rootId: RootId, waiters: readonly Waiter[]): void {
    if (waiters.length > 0) this.#all.set(rootId, waiters);
    else this.#all.delete(rootId);
  }
}
