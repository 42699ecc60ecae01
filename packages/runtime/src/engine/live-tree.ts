import { type AgentView, applyAll, emptyTree, mainDialog, type Tree, treeFrom, treeSnapshot } from "@colloquy/core";
import { type AgentId, type DialogId, type Line, type RootId, runKey, type RunKey, type TreeEvent } from "@colloquy/schema";
import type { Opened, Store } from "@colloquy/store";
import { BetweenSteps } from "../step/between-steps.ts";
import type { CommittedEvents } from "./commit.ts";
import { type Deps, elapsed } from "./deps.ts";
import { type PlaceOf, Views } from "./views.ts";

/** Bound of turns of a tree whose prompt head is cached; the oldest is dropped first. */
const MAX_HEADS = 64;

/** What a run is doing at this moment. Only this process knows; the log doesn't need it. */
export interface Flight {
  readonly abort: AbortController;
  readonly turn: number;
  readonly startedAt: number;
  /** The running calls with their start times. */
  readonly tools: Map<string, { readonly tool: string; readonly sinceMs: number }>;
  /** The start of the model call in progress, if any. */
  thinkingSince: number | undefined;
  /** Set during the pause before another attempt: a person's message ends it. */
  pause: AbortController | undefined;
}

/** What it is doing, in one word: the latest call, or nothing while it thinks. */
export const toolOf = (flight: Flight): { readonly tool: string; readonly sinceMs: number } | undefined =>
  [...flight.tools.values()].at(-1);

/** How long the current model call or calls have taken so far. */
export function activeMs(flight: Flight | undefined, clock: Deps["clock"]): number {
  if (!flight) return 0;
  const since = [
    ...(flight.thinkingSince === undefined ? [] : [flight.thinkingSince]),
    ...[...flight.tools.values()].map((one) => one.sinceMs),
  ];
  return since.reduce((sum, one) => sum + elapsed(clock, one), 0);
}

/**
 * A tree in memory. `state` may be ahead of the disk by pending commits; `settled` resolves when it is durable. Nothing is shown, sent
 * or run based on `state` before `settled`.
 */
export class LiveTree {
  readonly rootId: RootId;
  state: Tree;
  settled: Promise<unknown> = Promise.resolve();
  /** A commit that failed: this tree is never durable again, and is read anew. */
  #failed: { readonly error: unknown } | undefined;
  readonly flights: Map<RunKey, Flight>;
  readonly betweenSteps: BetweenSteps;
  /** Failed attempts by step: the count outlives the pause between two attempts. */
  readonly faults: Map<string, number>;
  /** Runs that are being driven. */
  drains = 0;
  /** Reference count of those who need it in memory. */
  holds = 0;
  snapshotSeq: number;
  readonly views: Views;
  readonly #generations: Map<DialogId, number>;
  readonly #heads = new Map<string, { readonly course: number; readonly head: readonly string[] }>();
  readonly #missing = new Map<string, string>();
  #pos = 0;
  /** Pending commits. */
  #ahead = 0;

  /** `before`: the same tree, discarded after a failed commit; work in flight continues on this one. */
  constructor(state: Tree, snapshotSeq: number, placeOf: PlaceOf, before?: LiveTree) {
    this.rootId = state.rootId;
    this.state = state;
    this.snapshotSeq = snapshotSeq;
    this.views = new Views(placeOf);
    this.flights = before?.flights ?? new Map();
    this.betweenSteps = before?.betweenSteps ?? new BetweenSteps();
    this.faults = before?.faults ?? new Map();
    this.#generations = before ? before.#generations : new Map();
  }

  static opened(rootId: RootId, opened: Opened, placeOf: PlaceOf, before?: LiveTree): LiveTree {
    const tree = new LiveTree(foldTree(rootId, opened), opened.base?.seq ?? 0, placeOf, before);
    tree.#pos = opened.lines.at(-1)?.pos ?? opened.base?.pos ?? 0;
    return tree;
  }

  /** True if all of `state` is durable at this moment; others may commit in the next. */
  get isDurable(): boolean {
    return this.#ahead === 0;
  }

  /** Applies events that have been handed to the store. */
  advance(state: Tree, events: readonly TreeEvent[], settled: Promise<{ readonly pos: number }>): void {
    const before = this.state.seq;
    this.state = state;
    this.#ahead += 1;
    this.settled = settled.then(
      ({ pos }) => {
        // What follows a failed commit is based on something that never was.
        if (this.#failed) throw this.#failed.error;
        this.#ahead -= 1;
        this.#pos = pos;
      },
      (error: unknown) => {
        this.#failed ??= { error };
        throw error;
      },
    );
    // The caller of the commit handles its failure; this only keeps the promise from being reported as unhandled.
    this.settled.catch(() => undefined);
    this.views.receive(state, before + 1, events);
  }

  /** Applies events that another node has committed. Undefined if they do not continue the known ones. */
  follow(line: Line): CommittedEvents | undefined {
    const events = line.events as readonly TreeEvent[];
    const before = this.state;
    // It was read from the log already.
    if (line.seq + events.length - 1 <= before.seq) return { events, before, after: before };
    if (line.seq !== before.seq + 1 || !this.isDurable) return undefined;
    this.state = applyAll(before, events, timeOf(line.at));
    this.#pos = line.pos;
    this.views.receive(this.state, line.seq, events);
    return { events, before, after: this.state };
  }

  view(store: Store, at: { dialog: DialogId; agent: AgentId }): Promise<AgentView> {
    return this.views.open(store, this.rootId, at, this);
  }

  /** The prompt's head: made at the first step of a turn or course, and kept for the turn. */
  head(at: { dialog: DialogId; agent: AgentId }, turn: number, course: number, make: () => readonly string[]): readonly string[] {
    const known = this.#heads.get(`${runKey(at.dialog, at.agent)}/${turn}`);
    if (known?.course === course) return known.head;
    const head = make();
    if (this.#heads.size >= MAX_HEADS) this.#heads.delete(this.#heads.keys().next().value ?? "");
    this.#heads.set(`${runKey(at.dialog, at.agent)}/${turn}`, { course, head });
    return head;
  }

  /** Remembers which missing tools a turn was told about. True if it is new. */
  tellMissing(at: { dialog: DialogId; agent: AgentId }, turn: number, missing: string): boolean {
    const key = `${runKey(at.dialog, at.agent)}/${turn}`;
    const isNews = (this.#missing.get(key) ?? "") !== missing;
    if (missing === "") this.#missing.delete(key);
    else this.#missing.set(key, missing);
    return isNews;
  }

  hasHead(at: { dialog: DialogId; agent: AgentId }, turn: number, course: number): boolean {
    return this.#heads.get(`${runKey(at.dialog, at.agent)}/${turn}`)?.course === course;
  }

  /** The number of the dialog's next generation in its course, counting those in flight. */
  nextGeneration(dialog: DialogId): number {
    const recorded = this.state.dialogs.get(dialog)?.gen ?? 0;
    const next = Math.max(recorded, this.#generations.get(dialog) ?? 0) + 1;
    this.#generations.set(dialog, next);
    return next;
  }

  /** Saves a snapshot only if it spares a good part of the reading: the cost stays in proportion to what was added. */
  async saveSnapshot(store: Store): Promise<void> {
    const added = this.state.seq - this.snapshotSeq;
    if (added < 100 + this.snapshotSeq / 4) return;
    await this.settled;
    this.snapshotSeq = this.state.seq;
    await store.saveSnapshot(this.rootId, treeSnapshot(this.state, this.#pos));
  }
}

/** A line, or the base before it, that can be read but not folded. */
export class Unfoldable extends Error {
  override readonly name = "Unfoldable";
  /** The first event of that line. */
  readonly seq: number;

  constructor(seq: number, why: string, cause?: unknown) {
    super(why, { cause });
    this.seq = seq;
  }
}

/** Folds a tree's state from what the store has. Throws `Unfoldable`. */
export function foldTree(rootId: RootId, { base, lines }: Opened): Tree {
  let state = emptyTree(rootId);
  try {
    if (base) state = treeFrom(base, rootId);
    for (const line of lines) {
      // The line that the base ends in may hold events before it.
      const fresh = line.events.slice(Math.max(0, state.seq - line.seq + 1));
      state = applyAll(state, fresh as TreeEvent[], timeOf(line.at));
    }
  } catch (error) {
    throw new Unfoldable(state.seq + 1, error instanceof Error ? error.message : String(error), error);
  }
  // Lines of another tree would fold, and be driven a second time under this tree's name.
  if (state.seq > 0 && !mainDialog(state)) throw new Unfoldable(1, `the main dialog of ${rootId} does not begin there`);
  return state;
}

function timeOf(at: string): number {
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) throw new Error(`"${at}" is not a time`);
  return ms;
}
