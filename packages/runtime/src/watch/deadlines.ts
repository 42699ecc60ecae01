import type { RootId } from "@colloquy/schema";
import { type Clock, LOOK_AGAIN_MS } from "../engine/deps.ts";

/**
 * The heap is swept when it exceeds twice the live entries by this many: questions answered at once leave no deadlines of next month
 * behind.
 */
const SWEEP_FROM_ENTRIES = 1_000;

/**
 * Deadlines of trees: a heap by time, and one timer for the nearest. An entry that changed since it was added is skipped when it comes
 * up.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #onDue: (rootId: RootId) => void;
  readonly #due = new Map<RootId, number>();
  #heap: { readonly at: number; readonly rootId: RootId }[] = [];
  #timer: { readonly at: number; readonly stop: AbortController } | undefined;

  constructor(clock: Clock, onDue: (rootId: RootId) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  set(rootId: RootId, atMs: number | undefined): void {
    if (this.#due.get(rootId) === atMs) return;
    if (atMs === undefined) {
      this.#due.delete(rootId);
      return;
    }
    this.#due.set(rootId, atMs);
    this.#push({ at: atMs, rootId });
    if (this.#heap.length > SWEEP_FROM_ENTRIES + 2 * this.#due.size) this.#sweep();
    if (this.#timer === undefined || atMs < this.#timer.at) this.#arm();
  }

  close(): void {
    this.#timer?.stop.abort();
    this.#due.clear();
    this.#heap = [];
  }

  /** The number of kept entries, outdated ones included. */
  get size(): number {
    return this.#heap.length;
  }

  /** A sorted array is a heap. */
  #sweep(): void {
    this.#heap = [...this.#due].map(([rootId, at]) => ({ at, rootId })).toSorted((a, b) => a.at - b.at);
  }

  #arm(): void {
    this.#timer?.stop.abort();
    this.#timer = undefined;
    while (this.#heap[0] && this.#due.get(this.#heap[0].rootId) !== this.#heap[0].at) this.#pop();
    const next = this.#heap[0];
    if (!next) return;
    const timer = { at: next.at, stop: new AbortController() };
    this.#timer = timer;
    const ms = Math.min(Math.max(0, next.at - this.#clock.now()), LOOK_AGAIN_MS);
    this.#clock.sleep(ms, timer.stop.signal).then(
      () => this.#ring(),
      () => undefined,
    );
  }

  #ring(): void {
    const now = this.#clock.now();
    for (let next = this.#heap[0]; next && next.at <= now; next = this.#heap[0]) {
      this.#pop();
      if (this.#due.get(next.rootId) !== next.at) continue;
      this.#due.delete(next.rootId);
      this.#onDue(next.rootId);
    }
    this.#arm();
  }

  #push(item: { readonly at: number; readonly rootId: RootId }): void {
    const heap = this.#heap;
    let child = heap.push(item) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = heap[parent];
      if (!above || above.at <= item.at) break;
      heap[child] = above;
      child = parent;
    }
    heap[child] = item;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let hole = 0;
    for (;;) {
      const [left, right] = [heap[2 * hole + 1], heap[2 * hole + 2]];
      const smaller = right && left && right.at < left.at ? { at: 2 * hole + 2, item: right } : left && { at: 2 * hole + 1, item: left };
      if (!smaller || smaller.item.at >= last.at) break;
      heap[hole] = smaller.item;
      hole = smaller.at;
    }
    heap[hole] = last;
  }
}
