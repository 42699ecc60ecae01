import { REDUCER_VERSION, type Tree } from "@colloquy/core";
import type { RootId } from "@colloquy/schema";
import type { Opened, Store } from "@colloquy/store";
import { type Flight, foldTree, LiveTree, Unfoldable } from "./live-tree.ts";
import type { PlaceOf } from "./views.ts";

/** Resting trees that stay warm. All others are an index entry and nothing else. */
const MAX_IDLE_TREES = 256;

/** No reducer has this version: whatever is opened for it has no base. */
const NO_BASE = -1;

/** A tree that is being read, and what came of it. */
interface Opening {
  readonly opened: Promise<LiveTree | undefined>;
  tree: LiveTree | undefined;
}

/** The trees in memory: those at work, and a few that were lately. */
export class Trees {
  readonly #store: Store;
  readonly #open = new Map<RootId, Opening>();
  readonly #held = new Set<LiveTree>();
  /** Trees that were dropped while something was under way in them. */
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
    // One that is there is held at once: in the next moment others may need its room.
    const tree = opening.tree ?? (await opening.opened);
    return tree && this.#hold(tree);
  }

  #read(rootId: RootId): Opening {
    const opened = this.#folded(rootId, (found) => LiveTree.opened(rootId, found, this.#placeOf, this.#dropped.get(rootId)));
    const opening: Opening = { opened, tree: undefined };
    this.#open.set(rootId, opening);
    // A tree that could not be read, or is not there, is asked for again the next time.
    opened.then(
      (tree) => (opening.tree = tree) ?? this.#open.delete(rootId),
      () => this.#open.delete(rootId),
    );
    return opening;
  }

  /** A tree read from disk for a single look: it evicts no other tree. */
  peek(rootId: RootId): Promise<Tree | undefined> {
    return this.#folded(rootId, (opened) => foldTree(rootId, opened));
  }

  /** Where a tree cannot be folded on top of its snapshot, which is a cache, it is folded from its first event. */
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
    // Last used, last in the map: the first ones are the coldest.
    this.#open.delete(tree.rootId);
    this.#open.set(tree.rootId, opening);
    if (this.#open.size > MAX_IDLE_TREES) this.#cool();
  }

  /** A new tree, held until `release`. */
  begin(state: Tree): LiveTree {
    const tree = new LiveTree(state.rootId, state, 0, this.#placeOf);
    this.#hold(tree);
    this.#open.set(tree.rootId, { opened: Promise.resolve(tree), tree });
    return tree;
  }

  /** What is in memory is not what is on disk: read it again the next time. Where that has been done already, it stays. */
  drop(tree: LiveTree): void {
    if (this.#open.get(tree.rootId)?.tree !== tree) return;
    this.#open.delete(tree.rootId);
    this.#dropped.set(tree.rootId, tree);
  }

  abortFlights(which: (flight: Flight) => boolean): void {
    for (const tree of this.#held) {
      for (const flight of tree.flights.values()) if (which(flight)) flight.abort.abort(new Error("closing"));
    }
  }

  /** Everything in memory is durable at this moment. */
  get areDurable(): boolean {
    return [...this.#held].every((tree) => tree.isDurable);
  }

  /** Resolves when what is under way is durable, or is known not to be. */
  async whenDurable(): Promise<void> {
    await Promise.allSettled([...this.#held].map((tree) => tree.settled));
  }

  async saveSnapshots(): Promise<void> {
    for (const { opened } of this.#open.values()) await (await opened.catch(() => undefined))?.saveSnapshot(this.#store);
  }

  #cool(): void {
    for (const [rootId, { tree }] of this.#open) {
      if (this.#open.size <= MAX_IDLE_TREES) return;
      // One that is still being read is about to be needed.
      if (!tree || tree.holds > 0) continue;
      this.#open.delete(rootId);
      tree.saveSnapshot(this.#store).catch((error: unknown) => this.#report(error, `snapshot of ${rootId}`));
    }
  }
}
