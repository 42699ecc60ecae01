/** Whoever has something to do: a process, a person's page. Once it is over, nothing that it had in mind happens any more. */
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

// Taken before anybody can put something else in its place.
const { setImmediate: inReality } = globalThis;
/** Everything that follows from what has just happened without waiting for anything. */
const consequences = (): Promise<void> => new Promise((go) => inReality(go));

/**
 * Time, and all that is to happen in it. Nothing else makes anything happen: one task, then all that follows from it at once, then the
 * next. So the same seed is the same story.
 */
export class Schedule {
  /** Since the beginning. */
  nowMs = 0;
  steps = 0;
  readonly #heap: Task[] = [];
  readonly #isTold = new AbortController();
  #order = 0;

  /** Returns the way to call it off. */
  after(life: Life, ms: number, work: () => void): () => void {
    const task: Task = { at: this.nowMs + Math.max(0, ms), order: this.#order++, life, work };
    this.#push(task);
    return () => (task.work = undefined);
  }

  sleep(life: Life, ms: number): Promise<void> {
    return new Promise((go) => this.after(life, ms, go));
  }

  /** Whoever has died takes back nothing, and Node keeps signals that are made of others as long as somebody listens: hence until the end. */
  onAbort(signal: AbortSignal, react: () => void): void {
    signal.addEventListener("abort", react, { once: true, signal: this.#isTold.signal });
  }

  /** The story is told: nobody listens any more. */
  end(): void {
    this.#isTold.abort();
  }

  /** The one thread that everybody shares does nothing else for so long. */
  block(ms: number): void {
    this.nowMs += ms;
  }

  /** What a life still has in mind. */
  pending(life: Life): number {
    return this.#heap.filter((task) => task.life === life && task.work).length;
  }

  /** Until it is done, or nothing is left to do, or the time is over. Says whether it is done. */
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
