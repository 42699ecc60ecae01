/** An actor: a process, a person's page. Once it has ended, none of its pending work happens. */
export class Life {
  readonly name: string;
  isOver = false;

  constructor(name: string) {
    this.name = name;
  }
}

interface Task {
  readonly at: number;
  readonly order: number;
  readonly life: Life;
  work: (() => void) | undefined;
}

// Captured before anybody can replace it.
const { setImmediate: inReality } = globalThis;
/** Runs everything that follows without waiting. */
const consequences = (): Promise<void> => new Promise((go) => inReality(go));

/**
 * Simulated time and its pending tasks. Nothing else makes anything happen: one task, then everything that follows from it, then the
 * next. So the same seed gives the same story.
 */
export class Schedule {
  /** Since the start of the story. */
  nowMs = 0;
  steps = 0;
  readonly #heap: Task[] = [];
  readonly #removals = new Set<() => void>();
  #order = 0;

  /** Returns a cancel function. */
  after(life: Life, ms: number, work: () => void): () => void {
    const task: Task = { at: this.nowMs + Math.max(0, ms), order: this.#order++, life, work };
    this.#push(task);
    return () => (task.work = undefined);
  }

  sleep(life: Life, ms: number): Promise<void> {
    return new Promise((go) => this.after(life, ms, go));
  }

  /**
   * Returns a function that removes the listener. A dead actor calls none, and Node keeps derived signals alive while somebody listens:
   * hence `end`.
   */
  onAbort(signal: AbortSignal, react: () => void): () => void {
    const told = () => {
      this.#removals.delete(remove);
      react();
    };
    const remove = () => {
      this.#removals.delete(remove);
      signal.removeEventListener("abort", told);
    };
    this.#removals.add(remove);
    signal.addEventListener("abort", told, { once: true });
    return remove;
  }

  /** The story is over: removes all listeners. */
  end(): void {
    for (const remove of this.#removals) remove();
  }

  /** Blocks the one thread that all share for this long. */
  block(ms: number): void {
    this.nowMs += ms;
  }

  /** The pending tasks of an actor. */
  pending(life: Life): number {
    return this.#heap.filter((task) => task.life === life && task.work).length;
  }

  /** Runs until it is done, nothing is left to do, or the time is over. Returns whether it is done. */
  async run(isDone: () => boolean, untilMs: number): Promise<boolean> {
    for (;;) {
      await consequences();
      if (isDone()) return true;
      const task = this.#pop();
      if (!task || task.at > untilMs) {
        if (task) this.#push(task);
        this.nowMs = Math.max(this.nowMs, untilMs);
        return false;
      }
      const { work, life } = task;
      if (!work || life.isOver) continue;
      task.work = undefined;
      this.nowMs = Math.max(this.nowMs, task.at);
      this.steps += 1;
      work();
    }
  }

  #push(task: Task): void {
    const heap = this.#heap;
    let child = heap.push(task) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = heap[parent] as Task;
      if (isBefore(above, task)) break;
      heap[child] = above;
      child = parent;
    }
    heap[child] = task;
  }

  #pop(): Task | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let hole = 0;
    for (let child = 1; child < heap.length; child = 2 * hole + 1) {
      const right = heap[child + 1];
      if (right && isBefore(right, heap[child] as Task)) child += 1;
      const smaller = heap[child] as Task;
      if (isBefore(last, smaller)) break;
      heap[hole] = smaller;
      hole = child;
    }
    heap[hole] = last;
    return first;
  }
}

const isBefore = (one: Task, other: Task): boolean => one.at < other.at || (one.at === other.at && one.order < other.order);
