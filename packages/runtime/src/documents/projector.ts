import { changedDialogs, emptyTree, type ProjectionFile, projectionsOf, responseFile, sayingsIn, type Tree } from "@colloquy/core";
import { type RootId, shortId } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import type { Clock } from "../engine/deps.ts";
import { inSlices } from "./in-slices.ts";
import { OneAtATime } from "../engine/one-at-a-time.ts";
import { readEvent, readSayings } from "../step/sayings.ts";

const REST_MS = 1_000;
/** Without a commit for this long, nobody is working. */
const IDLE_MS = 100;
/** Bound of trees kept in memory until their files are written; beyond it, only ids are kept and the trees are read again. */
const MAX_KEPT_TREES = 1_000;
/** Bound of trees handed to the store whose files it hasn't written yet. */
const MAX_HANDED_IN = 8;

/** A tree as it is now, and as it was when its files were last written. */
interface Behind {
  readonly tree: Tree;
  readonly written: Tree;
}

export interface ProjectorHost {
  /** A tree as it is on disk. */
  see(rootId: RootId): Promise<Tree | undefined>;
  report(error: unknown, where: string): void;
}

/**
 * Hands the files for people to the store once a tree has been quiet for a second. One timer for all trees, none when everything is
 * written.
 */
export class Projector {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #host: ProjectorHost;
  /** Undefined for a tree that must be read again. */
  readonly #behind = new Map<RootId, Behind | undefined>();
  readonly #writing = new Set<Promise<void>>();
  /** Serializes writes per tree, so the last one is the newest. */
  readonly #turns = new OneAtATime();
  /** Trees with a failed or pending write: next time all of their files are written. */
  readonly #incomplete = new Set<RootId>();
  #handedIn = 0;
  /** Callers that wait until the store has written some of it. */
  #waiters: (() => void)[] = [];
  readonly #closing = new AbortController();
  #isWaiting = false;
  /** Files of any tree may be older than `before`, until all trees have been checked. */
  #isCatchingUp = false;
  #notedMs = -Infinity;

  constructor(store: Store, clock: Clock, host: ProjectorHost) {
    this.#store = store;
    this.#clock = clock;
    this.#host = host;
  }

  /** `before`: the tree before this change, whose files are written unless it is behind already. */
  note(tree: Tree, before: Tree): void {
    const { rootId } = tree;
    this.#notedMs = this.#clock.now();
    const known = this.#behind.get(rootId);
    if (known) this.#behind.set(rootId, { tree, written: known.written });
    else if (!this.#behind.has(rootId))
      this.#behind.set(
        rootId,
        this.#behind.size < MAX_KEPT_TREES ? { tree, written: this.#isCatchingUp ? emptyTree(rootId) : before } : undefined,
      );
    if (!this.#isWaiting) void this.#wait();
  }

  get isBehind(): boolean {
    return this.#behind.size > 0;
  }

  /** All files of a tree, whatever was written before, along with other trees that are behind. */
  renew(rootId: RootId): void {
    this.#behind.set(rootId, undefined);
    if (!this.#isWaiting) void this.#wait();
  }

  /** All files of trees that a crash left behind their logs. There may be very many, and nobody waits for them. */
  async catchUp(recovered: Iterable<RootId>): Promise<void> {
    this.#isCatchingUp = true;
    // Trees that change meanwhile are behind anyway, and get all of their files written.
    await this.#inSlices(recovered, async (rootId) =>
      this.#behind.has(rootId) ? undefined : this.#write(rootId, () => this.#handIn(rootId)),
    );
    if (!this.#closing.signal.aborted) this.#isCatchingUp = false;
  }

  /** Writes everything now. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#letIn();
    for (const rootId of this.#behind.keys()) await this.#take(rootId);
    await Promise.all(this.#writing);
  }

  async #wait(): Promise<void> {
    this.#isWaiting = true;
    while (this.#behind.size > 0) {
      await this.#clock.sleep(REST_MS, this.#closing.signal).catch(() => undefined); // closing, which is checked below
      await this.#inSlices(this.#behind.keys(), async (rootId) => {
        if ((this.#behind.get(rootId)?.tree.at ?? 0) <= this.#clock.now() - REST_MS) await this.#take(rootId);
      });
      if (this.#closing.signal.aborted) return;
    }
    this.#isWaiting = false;
  }

  #inSlices<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
    const { signal } = this.#closing;
    const whenThereIsRoom = async (item: Item) => {
      while (this.#handedIn >= MAX_HANDED_IN && !signal.aborted) await new Promise<void>((go) => this.#waiters.push(go));
      if (!signal.aborted) await work(item);
    };
    return inSlices(items, whenThereIsRoom, { clock: this.#clock, signal, isBusy: () => this.#clock.now() - this.#notedMs < IDLE_MS });
  }

  #letIn(): void {
    for (const go of this.#waiters.splice(0)) go();
  }

  #take(rootId: RootId): Promise<void> {
    return this.#write(rootId, async () => {
      if (this.#behind.has(rootId)) await this.#handIn(rootId);
    });
  }

  #write(rootId: RootId, work: () => Promise<void>): Promise<void> {
    const writing = this.#turns
      .alone(rootId, work)
      .catch((error: unknown) => this.#host.report(error, `files of ${shortId(rootId)}`))
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
    return writing;
  }

  /** The current state: it may have changed while it waited for its turn. */
  async #handIn(rootId: RootId): Promise<void> {
    const behind = this.#behind.get(rootId);
    this.#behind.delete(rootId);
    const written = (this.#incomplete.has(rootId) ? undefined : behind?.written) ?? emptyTree(rootId);
    this.#incomplete.add(rootId);
    const tree = behind?.tree ?? (await this.#host.see(rootId));
    if (!tree) return;
    const needed = changedDialogs(tree, written).flatMap((dialog) => sayingsIn(tree, dialog));
    const sayings = await readSayings(this.#store, rootId, needed);
    const responses = await this.#responses(tree, written);
    // Made just before they are written, so little waits in memory.
    const files = () => [...projectionsOf(tree, sayings, written), ...responses];
    const handedIn = this.#store.project(rootId, files, tree.seq);
    this.#incomplete.delete(rootId);
    this.#handedIn += 1;
    void handedIn.finally(() => {
      this.#handedIn -= 1;
      this.#letIn();
    });
  }

  async #responses(tree: Tree, written: Tree): Promise<readonly ProjectionFile[]> {
    const files: ProjectionFile[] = [];
    for (const dialog of changedDialogs(tree, written)) {
      const seq = dialog.response?.seq;
      if (seq === undefined || seq === written.dialogs.get(dialog.id)?.response?.seq) continue;
      const event = await readEvent(this.#store, tree.rootId, seq);
      if (event?.type === "ask.answered") files.push(responseFile(dialog, event));
    }
    return files;
  }
}
