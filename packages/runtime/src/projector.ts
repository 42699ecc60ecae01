import { projectionsOf, type Tree } from "@colloquy/core";
import type { RootId } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import type { Clock } from "./deps.ts";

const REST_MS = 1_000;

/** Hands the files for people to the store once a tree has rested for a second. One timer for all trees, none when all is written. */
export class Projector {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #behind = new Map<RootId, Tree>();
  readonly #closing = new AbortController();
  #isWaiting = false;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Folded state is small and never changes: keeping it costs little and needs no lock. */
  note(tree: Tree): void {
    this.#behind.set(tree.rootId, tree);
    if (!this.#isWaiting) void this.#wait();
  }

  /** Everything now. */
  close(): void {
    this.#closing.abort();
    for (const [rootId, tree] of this.#behind) this.#store.project(rootId, projectionsOf(tree));
    this.#behind.clear();
  }

  async #wait(): Promise<void> {
    this.#isWaiting = true;
    while (this.#behind.size > 0) {
      const isOver = await this.#clock.sleep(REST_MS, this.#closing.signal).then(
        () => false,
        () => true,
      );
      if (isOver) return;
      const rested = this.#clock.now() - REST_MS;
      for (const [rootId, tree] of this.#behind) {
        if (tree.at > rested) continue;
        this.#behind.delete(rootId);
        this.#store.project(rootId, projectionsOf(tree));
      }
    }
    this.#isWaiting = false;
  }
}
