import { applyAll, contextGauge, dialogView, emptyTree, REDUCER_VERSION, type Tree, treeFrom, treeView } from "@colloquy/core";
import {
  type DialogId,
  type DialogSnapshot,
  type DialogView,
  type LiveEvent,
  type Recorded,
  type RootId,
  runKey,
  type TreeNode,
} from "@colloquy/schema";
import { Refused } from "@colloquy/schema";
import type { z } from "zod";
import type { Commit } from "../commit.ts";
import { PASSING } from "../transport/channel.ts";
import type { Observable } from "../observable.ts";
import type { TreeListener, TreeWatch } from "../transport/tree-channel.ts";
import { atWorkIn, hearLive, type LiveRun, type LiveRuns, supersede, workKey } from "./live-run.ts";

/** How a store reaches its tree. */
export interface TreeSource {
  /** Throws `Refused`, or `Disconnected` if no answer came. */
  snapshot(dialogId: string): Promise<DialogSnapshot>;
  watch(watch: TreeWatch, listener: TreeListener): () => void;
  /** Calls once, later. Returns a function that cancels it. */
  after(ms: number, act: () => void): () => void;
  now(): number;
}

/** A tree as far as it is loaded. */
export interface TreeSnapshot {
  /** `loading`: not everything requested has arrived. `refused`: nothing will come. */
  readonly status: "loading" | "ready" | "refused";
  /** Folded by the server's own rules, from whole commits only. */
  readonly tree: Tree;
  /** Events after `since`, in order. */
  readonly events: readonly Recorded[];
  readonly since: number;
  /** What is happening right now. */
  readonly live: readonly LiveRun[];
  readonly error?: Refused;
}

const RETRY_MS = 1_000;
/** Live text chunks within this time are shown together. */
const LIVE_MS = 30;

/**
 * One tree, kept up to date while somebody listens. It starts with the server's own fold of the tree, so a long log costs nothing; if
 * the server's reducer has another version, it folds the log itself. Without listeners it keeps its state, and later continues there.
 */
export class TreeStore implements Observable<TreeSnapshot> {
  readonly rootId: RootId;
  readonly #source: TreeSource;
  readonly #listeners = new Set<() => void>();
  #stop: (() => void) | undefined;
  #status: TreeSnapshot["status"] = "loading";
  #error: Refused | undefined;
  #tree: Tree;
  /** The tree is ready once it is folded up to here. */
  #goal: number | undefined;
  #since = 0;
  readonly #events: Recorded[] = [];
  readonly #sayings = new Map<number, string>();
  #context: DialogSnapshot["context"] = { windows: {}, soft: 1, hard: 1 };
  #isDriven = false;
  #live: LiveRuns = new Map();
  #isTelling = false;
  #snapshot: TreeSnapshot | undefined;
  /** The last recorded generation of each run; before the first one, that of its dialog in the snapshot. */
  readonly #recorded = new Map<string, { readonly course: number; readonly gen: number }>();
  readonly #seeded = new Map<string, { readonly course: number; readonly gen: number }>();
  readonly #views = new Map<string, { readonly tree: Tree; readonly work: string; readonly view: DialogView | undefined }>();
  #node: { readonly tree: Tree; readonly node: z.infer<typeof TreeNode> | undefined } | undefined;

  constructor(rootId: RootId, source: TreeSource) {
    this.rootId = rootId;
    this.#source = source;
    this.#tree = emptyTree(rootId);
  }

  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  readonly getSnapshot = (): TreeSnapshot => {
    // Made on demand: while a long log loads, nobody needs a copy for each commit.
    this.#snapshot ??= {
      status: this.#status,
      tree: this.#tree,
      events: [...this.#events],
      since: this.#since,
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

  /** A dialog of the tree as the server would show it. The same object until something in it changes. */
  view(dialogId: string): DialogView | undefined {
    const work = workKey(this.#live);
    const known = this.#views.get(dialogId);
    if (known && known.tree === this.#tree && known.work === work) return known.view;
    const { windows, soft, hard } = this.#context;
    const view = dialogView(this.#tree, dialogId as DialogId, {
      isDriven: this.#isDriven,
      atWork: atWorkIn(this.#live, this.#source.now()),
      sayings: this.#sayings,
      gauge: (run, agent) => contextGauge(run, windows[agent], { soft, hard }),
    });
    this.#views.set(dialogId, { tree: this.#tree, work, view });
    return view;
  }

  /** Who waits for whom. */
  node(): z.infer<typeof TreeNode> | undefined {
    if (this.#node?.tree !== this.#tree)
      this.#node = { tree: this.#tree, node: treeView(this.#tree) as z.infer<typeof TreeNode> | undefined };
    return this.#node.node;
  }

  /** Starts with this snapshot, unless it has already started. */
  seed(snapshot: DialogSnapshot): void {
    if (this.#goal !== undefined) return;
    this.#goal = snapshot.seq;
    this.#context = snapshot.context;
    if (snapshot.reducer !== REDUCER_VERSION) return;
    this.#tree = treeFrom(snapshot, this.rootId);
    this.#since = snapshot.seq;
    for (const { id, course, gen } of this.#tree.dialogs.values()) this.#seeded.set(id, { course, gen });
    this.#isDriven = snapshot.isDriven;
    for (const [seq, words] of snapshot.sayings) this.#sayings.set(seq, words);
    this.#snapshot = undefined;
  }

  #start(): void {
    let stop = () => {};
    let isOver = false;
    this.#stop = () => {
      isOver = true;
      stop();
    };
    const begin = async () => {
      try {
        if (this.#goal === undefined) this.seed(await this.#source.snapshot(this.rootId));
        if (!isOver) stop = this.#follow();
      } catch (error) {
        if (isOver) return;
        if (error instanceof Refused && !PASSING.has(error.code)) this.#refused(error);
        else stop = this.#source.after(RETRY_MS, () => void begin());
      }
    };
    void begin();
  }

  #follow(): () => void {
    this.#settle();
    return this.#source.watch(
      { rootId: this.rootId, after: this.#tree.seq },
      {
        commit: (commit) => this.#commit(commit),
        live: (event) => {
          if (this.#isRecorded(event)) return;
          this.#isDriven = true;
          this.#live = hearLive(this.#live, event, this.#source.now());
          this.#tellSoon();
        },
        dropped: () => {
          this.#live = new Map();
          this.#changed();
        },
        refused: (error) => this.#refused(error),
      },
    );
  }

  /** A text that the log overtook, for example in the snapshot that this store began with: nothing will replace it. */
  #isRecorded({ type, dialog, agent, course, genseq }: LiveEvent): boolean {
    if (type !== "generating_start_evt" && !/^(?:thinking|saying)_/.test(type)) return false;
    const last = this.#recorded.get(runKey(dialog.selfId, agent)) ?? this.#seeded.get(dialog.selfId);
    return last !== undefined && (course < last.course || (course === last.course && genseq <= last.gen));
  }

  #commit({ events, at }: Commit): void {
    this.#isDriven = true;
    this.#tree = applyAll(
      this.#tree,
      events.map(({ event }) => event),
      Date.parse(at),
    );
    this.#events.push(...events);
    for (const { seq, event } of events) {
      if (event.type === "ask.opened" || event.type === "ask.answered") this.#sayings.set(seq, event.content);
      this.#live = supersede(this.#live, event);
      if (event.type === "step.ended" || event.type === "step.cut") this.#recorded.set(runKey(event.dialog, event.agent), event);
    }
    if (this.#status === "ready") this.#changed();
    else this.#settle();
  }

  #settle(): void {
    if (this.#status === "ready" || this.#tree.seq < (this.#goal ?? 0)) return;
    this.#status = "ready";
    this.#error = undefined;
    this.#changed();
  }

  #refused(error: Refused): void {
    this.#status = "refused";
    this.#error = error;
    this.#changed();
  }

  #tellSoon(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    this.#source.after(LIVE_MS, () => {
      this.#isTelling = false;
      this.#changed();
    });
  }

  #changed(): void {
    this.#snapshot = undefined;
    for (const listener of this.#listeners) listener();
  }
}
