import { applyAll, emptyTree, type Tree } from "@colloquy/core";
import type { Recorded, RootId } from "@colloquy/schema";
import { hearLive, type LiveRun, type LiveRuns, supersede } from "./live-run.ts";
import type { Observable } from "./observable.ts";
import type { Refused } from "./refused.ts";
import type { TreeListener, TreeWatch } from "./tree-channel.ts";

/** A tree as far as it is known here. */
export interface TreeSnapshot {
  /** `loading`: not everything has come that there was when it was asked for. `refused`: nothing will come. */
  readonly status: "loading" | "ready" | "refused";
  /** Folded by the server's own rules, from whole commits only. */
  readonly tree: Tree;
  /** What happened, with the words, in order. */
  readonly events: readonly Recorded[];
  /** What is being said and done right now. */
  readonly live: readonly LiveRun[];
  readonly error?: Refused;
}

/** One tree, kept up to date while somebody listens; what it has is kept when nobody does, and it goes on from there. */
export class TreeStore implements Observable<TreeSnapshot> {
  readonly rootId: RootId;
  readonly #watch: (watch: TreeWatch, listener: TreeListener) => () => void;
  readonly #listeners = new Set<() => void>();
  #stop: (() => void) | undefined;
  #status: TreeSnapshot["status"] = "loading";
  #error: Refused | undefined;
  #tree: Tree;
  readonly #events: Recorded[] = [];
  #live: LiveRuns = new Map();
  #snapshot: TreeSnapshot | undefined;

  constructor(rootId: RootId, watch: (watch: TreeWatch, listener: TreeListener) => () => void) {
    this.rootId = rootId;
    this.#watch = watch;
    this.#tree = emptyTree(rootId);
  }

  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  readonly getSnapshot = (): TreeSnapshot => {
    // Made when it is asked for: while a long log comes in, nobody needs a copy for each commit.
    this.#snapshot ??= {
      status: this.#status,
      tree: this.#tree,
      events: [...this.#events],
      live: [...this.#live.values()],
      ...(this.#error && { error: this.#error }),
    };
    return this.#snapshot;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    const one = () => listener();
    this.#listeners.add(one);
    if (!this.#stop) this.#start();
    return () => {
      this.#listeners.delete(one);
      if (this.#listeners.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
      this.#live = new Map();
      this.#snapshot = undefined;
    };
  };

  #start(): void {
    this.#stop = this.#watch(
      { rootId: this.rootId, after: this.#tree.seq },
      {
        commit: ({ events, at }) => {
          this.#tree = applyAll(
            this.#tree,
            events.map(({ event }) => event),
            Date.parse(at),
          );
          this.#events.push(...events);
          for (const { event } of events) this.#live = supersede(this.#live, event);
          if (this.#status === "ready") this.#changed();
        },
        live: (event) => {
          this.#live = hearLive(this.#live, event);
          this.#changed();
        },
        caughtUp: () => {
          this.#status = "ready";
          this.#error = undefined;
          this.#changed();
        },
        dropped: () => {
          this.#live = new Map();
          this.#changed();
        },
        refused: (error) => {
          this.#status = "refused";
          this.#error = error;
          this.#changed();
        },
      },
    );
  }

  #changed(): void {
    this.#snapshot = undefined;
    for (const listener of this.#listeners) listener();
  }
}
