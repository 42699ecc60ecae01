import { REDUCER_VERSION, type Tree } from "@colloquy/core";
import type { Line, RootId, TreeEvent } from "@colloquy/schema";
import type { Opened, Store } from "@colloquy/store";
import type { CommittedEvents } from "./commit.ts";
import { type Flight, foldTree, LiveTree, Unfoldable } from "./live-tree.ts";
import type { PlaceOf } from "./views.ts";

/** Bound of idle trees kept in memory. All others are only an index entry. */
const MAX_IDLE_TREES = 256;

/** No reducer has this version, so nothing opened with it has a base. */
const NO_BASE = -1;

/** A tree being read, and the result. */
interface Opening {
  readonly opened: Promise<LiveTree | undefined>;
  tree: LiveTree | undefined;
}

/** The trees in memory: busy ones, and a few recently used. */
export class Trees {
  readonly #store: Store;
  readonly #open = new Map<RootId, Opening>();
  readonly #held = new Set<LiveTree>();
  /** Trees that were dropped while work was in flight in them. */
  readonly #dropped = new Map<RootId, LiveTree>();
  readonly #report: (error: unknown, where: string) => void;

  readonly #placeOf: PlaceOf;

  constructor(store: Store, placeOf: PlaceOf, report: (error: unknown, where: string) => void) {
    this.#store = store;
    this.#placeOf = placeOf;
    this.#report = report;
  }

  /** The tree, held in memory until `release`. */
  async hold(rootId: RootId): Promise<LiveTree | undefined> {
    const opening = this.#open.get(rootId) ?? this.#read(rootId);
    // A tree in memory is held immediately, before others can evict it.
    const tree = opening.tree ?? (await opening.opened);
    return tree && this.#hold(tree);
  }

  #read(rootId: RootId): Opening {
    const opened = this.#folded(rootId, (found) => LiveTree.opened(rootId, found, this.#placeOf, this.#dropped.get(rootId)));
    const opening: Opening = { opened, tree: undefined };
    this.#open.set(rootId, opening);
    // A tree that couldn't be read or doesn't exist is looked up again next time.
    opened.then(
      (tree) => (opening.tree = tree) ?? this.#open.delete(rootId),
      () => this.#open.delete(rootId),
    );
    return opening;
  }

  /** Calls `see` once everything in the tree is durable. Undefined if the tree doesn't exist. */
  async look<Seen>(rootId: RootId, see: (tree: LiveTree) => Seen): Promise<Seen | undefined> {
    const tree = await this.hold(rootId);
    if (!tree) return undefined;
    try {
      const isKept = await tree.settled.then(
        () => true,
        () => false,
      );
      if (isKept && tree.isDurable) return see(tree);
    } finally {
      this.release(tree);
    }
    // A commit was added meanwhile, which must become durable first; or one failed, and the tree is read from disk again.
    return this.look(rootId, see);
  }

  /** Reads a tree from disk for a single look: it evicts no other tree. */
  peek(rootId: RootId): Promise<Tree | undefined> {
    return this.#folded(rootId, (opened) => foldTree(rootId, opened));
  }

  /** If a tree can't be folded on top of its snapshot, which is a cache, it is folded from its first event. */
  async #folded<Folded>(rootId: RootId, fold: (opened: Opened) => Folded): Promise<Folded | undefined> {
    const opened = await this.#store.open(rootId, REDUCER_VERSION);
    if (!opened) return undefined;
    try {
      return fold(opened);
    } catch (error) {
      if (!(error instanceof Unfoldable)) throw error;
      const whole = opened.base && (await this.#store.open(rootId, NO_BASE));
      if (!whole) throw await this.#store.markDamaged(rootId, error.seq, error);
      try {
        return fold(whole);
      } catch (again) {
        throw again instanceof Unfoldable ? await this.#store.markDamaged(rootId, again.seq, again) : again;
      }
    }
  }

  #hold(tree: LiveTree): LiveTree {
    tree.holds++;
    this.#held.add(tree);
    return tree;
  }

  release(tree: LiveTree): void {
    tree.holds--;
    if (tree.holds > 0) return;
    this.#held.delete(tree);
    if (this.#dropped.get(tree.rootId) === tree) this.#dropped.delete(tree.rootId);
    const opening = this.#open.get(tree.rootId);
    if (!opening) return;
    // Map order is by last use: the first entries are the coldest.
    this.#open.delete(tree.rootId);
    this.#open.set(tree.rootId, opening);
    if (this.#open.size > MAX_IDLE_TREES) this.#cool();
  }

  /** Adds a new tree, held until `release`. */
  begin(state: Tree): LiveTree {
    const tree = new LiveTree(state, 0, this.#placeOf);
    this.#hold(tree);
    this.#open.set(tree.rootId, { opened: Promise.resolve(tree), tree });
    return tree;
  }

  /** Memory and disk differ: drops the tree so that it is read again. If that has happened already, the newer one stays. */
  drop(tree: LiveTree): void {
    if (this.#open.get(tree.rootId)?.tree !== tree) return;
    this.#open.delete(tree.rootId);
    this.#dropped.set(tree.rootId, tree);
  }

  /** The tree is deleted. Its holders find that out with their next commit. */
  forget(rootId: RootId): void {
    this.#open.delete(rootId);
    this.#dropped.delete(rootId);
    this.abortFlights((_, tree) => tree.rootId === rootId);
  }

  /** Applies another node's commit to the tree. Undefined if the tree is not in memory. */
  async follow(rootId: RootId, line: Line): Promise<{ readonly tree: LiveTree; readonly committed: CommittedEvents } | undefined> {
    const opening = this.#open.get(rootId);
    const tree = opening && (opening.tree ?? (await opening.opened.catch(() => undefined)));
    if (!tree) return undefined;
    const committed = tree.follow(line);
    if (committed) return { tree, committed };
    this.drop(tree);
    const events = line.events as readonly TreeEvent[];
    return this.look(rootId, (read) => ({ tree: read, committed: { events, before: read.state, after: read.state } }));
  }

  abortFlights(which: (flight: Flight, tree: LiveTree) => boolean): void {
    for (const tree of this.#held) {
      for (const flight of tree.flights.values()) if (which(flight, tree)) flight.abort.abort(new Error("closing"));
    }
  }

  /** A tool is running in the tree. */
  hasTools(rootId: RootId): boolean {
    return [...this.#held].some((tree) => tree.rootId === rootId && [...tree.flights.values()].some((flight) => flight.tools.size > 0));
  }

  /** Everything in memory is durable at this moment. */
  get areDurable(): boolean {
    return [...this.#held].every((tree) => tree.isDurable);
  }

  /** Resolves when pending commits are durable or have failed. */
  async whenDurable(): Promise<void> {
    await Promise.allSettled([...this.#held].map((tree) => tree.settled));
  }

  async saveSnapshots(): Promise<void> {
    for (const { opened } of this.#open.values()) await (await opened.catch(() => undefined))?.saveSnapshot(this.#store);
  }

  #cool(): void {
    for (const [rootId, { tree }] of this.#open) {
      if (this.#open.size <= MAX_IDLE_TREES) return;
      // A tree that is still being read is about to be needed.
      if (!tree || tree.holds > 0) continue;
      this.#open.delete(rootId);
      tree.saveSnapshot(this.#store).catch((error: unknown) => this.#report(error, `snapshot of ${rootId}`));
    }
  }
}
