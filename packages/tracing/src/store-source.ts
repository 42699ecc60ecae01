import { type Line, PROJECT_STREAM, type RootId } from "@colloquy/schema";
import type { Committed, LogCursor, Store } from "@colloquy/store";
import { Backlog } from "./backlog.ts";
import type { Claimed, LogSource, TreeLine } from "./log-source.ts";

const CURSOR = "tracing";
/** So many commits don't wait for more. */
const SEND_FROM_COMMITS = 500;
const TREES_AT_ONCE = 1_000;

/** As `Taken`, with the lines as the store has them. */
export interface Noted {
  readonly seen: number;
  readonly commits: readonly Committed[];
  readonly trees: readonly RootId[];
  readonly isIncomplete: boolean;
}

/** The log of a store in this thread. A commit only leaves a note here. */
export class StoreSource implements LogSource {
  readonly #store: Store;
  readonly #cursor: LogCursor;
  readonly #backlog = new Backlog();
  #unwatch: (() => void) | undefined;
  #changed: AsyncIterator<RootId> | undefined;
  #onNews: (isMuch: boolean) => void = () => {};
  #notedFrom = 0;
  #seen = 0;
  #saved = 0;

  constructor(store: Store) {
    this.#store = store;
    this.#cursor = store.cursor(CURSOR);
  }

  get isShared(): boolean {
    return this.#store.cluster !== undefined;
  }

  /** Commits that nobody has accepted yet. */
  get behind(): number {
    return this.#unwatch ? Math.max(0, this.#seen - this.#saved) : 0;
  }

  async claim(): Promise<Claimed | undefined> {
    const claimed = await this.#cursor.claim();
    if (!claimed) {
      this.#forget();
      return undefined;
    }
    if (!this.#unwatch) {
      this.#unwatch = this.#store.watch((committed) => this.#note(committed));
      this.#notedFrom = this.#seen = this.#store.health().pos;
      this.#saved = claimed.pos ?? this.#seen;
    }
    return { pos: claimed.pos, notedFrom: this.#notedFrom };
  }

  async save(pos: number): Promise<boolean> {
    const isSaved = await this.#cursor.save(pos);
    if (isSaved) this.#saved = Math.max(this.#saved, pos);
    else this.#forget();
    return isSaved;
  }

  async release(): Promise<void> {
    this.#forget();
    await this.#cursor.release();
  }

  async take() {
    const { seen, commits, trees, isIncomplete } = this.note();
    const lines = commits.flatMap((committed) => committed.lines.filter(isOfTree));
    return { seen, lines, trees, isIncomplete };
  }

  /** What `take` returns, before its lines are picked out. */
  note(): Noted {
    const { commits, trees, isIncomplete } = this.#backlog.take();
    return { seen: this.#seen, commits, trees: [...trees], isIncomplete };
  }

  lookAgain(): void {
    this.#backlog.lookFrom();
  }

  async read(rootId: RootId, after: number, limit: number): Promise<readonly Line[]> {
    try {
      const lines = await this.#store.read(rootId, after, limit);
      const copied = this.#store.entry(rootId)?.copied;
      // What a copy's past did was sent for the original, or elsewhere: it counts as long since accepted.
      return copied ? lines.map((line) => (line.seq < copied.seq ? { ...line, pos: 0 } : line)) : lines;
    } catch (error) {
      if (this.#store.damageOf(rootId) !== undefined) return [];
      throw error;
    }
  }

  async changed(pos: number, isFirst: boolean): Promise<readonly RootId[]> {
    if (isFirst) this.#changed = this.#store.changedSince(pos)[Symbol.asyncIterator]();
    const some: RootId[] = [];
    while (this.#changed && some.length < TREES_AT_ONCE) {
      const { done, value } = await this.#changed.next();
      if (done === true) this.#changed = undefined;
      else some.push(value);
    }
    return some;
  }

  onNews(listener: (isMuch: boolean) => void): void {
    this.#onNews = listener;
  }

  #note(committed: Committed): void {
    this.#seen = Math.max(this.#seen, committed.pos);
    this.#backlog.add(committed);
    this.#onNews(this.#backlog.size >= SEND_FROM_COMMITS);
  }

  #forget(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#backlog.clear();
  }
}

const isOfTree = (one: Committed["lines"][number]): one is TreeLine => one.stream !== PROJECT_STREAM;
