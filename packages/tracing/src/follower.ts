import { type Line, PROJECT_STREAM, type RootId } from "@colloquy/schema";
import type { Committed, LogCursor, Store } from "@colloquy/store";
import { Backlog } from "./backlog.ts";
import type { Verdict } from "./sender.ts";
import type { Span } from "./span.ts";
import type { SpanOptions } from "./span-writer.ts";
import { TreeSpans } from "./tree-spans.ts";

export interface FollowerClock {
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface FollowerParts {
  readonly store: Store;
  readonly clock: FollowerClock;
  readonly options: SpanOptions;
  readonly send: (spans: readonly Span[], signal: AbortSignal) => Promise<Verdict>;
  /** Where it sends, for messages. */
  readonly place: string;
  readonly report: (message: string) => void;
}

/** How the sending goes. */
export interface TracingState {
  readonly sentSpans: number;
  /** Commits whose spans have not been accepted. */
  readonly behind: number;
  /** Why the last attempt failed, while it is so. */
  readonly failing: string | undefined;
}

const CURSOR = "tracing";
const MAX_BATCH = 512;
const MAX_TREES = 500;
/** Commits are gathered for so long. */
const DELAY_MS = 1_000;
const FIRST_RETRY_MS = 1_000;
/** Shorter than the lease on the cursor. */
const MAX_RETRY_MS = 5_000;
const LINES_AT_ONCE = 200;
/** How long the last attempt may take when the project is closed. */
const LAST_MS = 2_000;

/**
 * Sends the spans of every tree, once. It follows the log: a commit only leaves a note here, and what was not sent is read again, so a
 * collector that is away costs no memory and loses nothing. The position is saved after the collector has accepted everything before it.
 */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #cursor: LogCursor;
  readonly #trees = new Map<RootId, TreeSpans>();
  readonly #backlog = new Backlog();
  readonly #stop = new AbortController();
  #unwatch: (() => void) | undefined;
  /** Up to here everything was accepted. */
  #saved = 0;
  #seen = 0;
  #batch: Span[] = [];
  #wake = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;
  #round: Promise<void> = Promise.resolve();
  #sent = 0;
  #failing: string | undefined;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#cursor = parts.store.cursor(CURSOR);
  }

  get state(): TracingState {
    return { sentSpans: this.#sent, behind: this.#unwatch ? Math.max(0, this.#seen - this.#saved) : 0, failing: this.#failing };
  }

  /** From here on commits are seen. */
  async start(): Promise<void> {
    await this.#claim().catch((error: unknown) => this.#failed(error));
    this.#running = this.#run();
  }

  /** Sends what there is without waiting for more. Resolves when it was accepted, or rejects with why not. */
  async flush(): Promise<void> {
    const before = this.#round;
    const round = before.then(() => this.#sendAll());
    this.#round = round.catch(() => undefined);
    await round;
  }

  async close(): Promise<void> {
    const last = AbortSignal.timeout(LAST_MS);
    this.#stop.abort();
    this.#wake.resolve();
    await this.#running;
    await this.#round;
    if (this.#unwatch && this.#seen > this.#saved) await this.#sendAll(last).catch(() => undefined); // the next process sends it
    this.#forget();
    await this.#cursor.release().catch(() => undefined); // its lease ends by itself
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#idle();
        if (signal.aborted) return;
        if (await this.#claim()) await this.flush();
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Replaced)) this.#failed(error);
        await this.#sleep(MAX_RETRY_MS);
      }
    }
  }

  /** Until there is something to send and others had time to join it, or the lease must be renewed. */
  async #idle(): Promise<void> {
    if (this.#unwatch && this.#seen <= this.#saved) {
      this.#wake = Promise.withResolvers<void>();
      const over = new AbortController();
      const renewal = this.#parts.store.cluster ? this.#parts.clock.sleep(MAX_RETRY_MS, over.signal).catch(() => undefined) : NEVER;
      await Promise.race([this.#wake.promise, renewal]);
      over.abort();
    }
    if (this.#backlog.size < MAX_BATCH) await this.#sleep(this.#unwatch ? DELAY_MS : MAX_RETRY_MS);
  }

  async #sleep(ms: number): Promise<void> {
    await this.#parts.clock.sleep(ms, this.#stop.signal).catch(() => undefined); // closing
  }

  /** True if this process is the one that sends. */
  async #claim(): Promise<boolean> {
    const claimed = await this.#cursor.claim();
    if (!claimed) {
      this.#forget();
      return false;
    }
    if (this.#unwatch) return true;
    this.#unwatch = this.#parts.store.watch((committed) => this.#note(committed));
    this.#seen = this.#parts.store.health().pos;
    // What happened before tracing was on is not sent.
    if (claimed.pos === undefined) await this.#cursor.save(this.#seen);
    this.#saved = claimed.pos ?? this.#seen;
    if (this.#saved < this.#seen) this.#backlog.lookFrom();
    return true;
  }

  #note(committed: Committed): void {
    this.#seen = Math.max(this.#seen, committed.pos);
    this.#backlog.add(committed);
    this.#wake.resolve();
  }

  #forget(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#trees.clear();
    this.#backlog.clear();
    this.#batch = [];
  }

  async #sendAll(signal: AbortSignal = this.#stop.signal): Promise<void> {
    if (!this.#unwatch || this.#seen <= this.#saved) return;
    const target = this.#seen;
    const { commits, trees, isIncomplete } = this.#backlog.take();
    try {
      await this.#fold(commits, trees, signal);
      if (isIncomplete) for await (const rootId of this.#parts.store.changedSince(this.#saved)) await this.#catchUp(rootId, signal);
      for (const rootId of trees) await this.#catchUp(rootId, signal);
      await this.#deliver(signal);
      if (!(await this.#cursor.save(target))) return this.#forget();
      this.#saved = Math.max(this.#saved, target);
    } catch (error) {
      // Folded and perhaps not sent: it is read again from the position that is saved.
      this.#trees.clear();
      this.#batch = [];
      this.#backlog.lookFrom();
      throw error;
    }
  }

  async #fold(commits: readonly Committed[], behind: Set<RootId>, signal: AbortSignal): Promise<void> {
    let folded = 0;
    for (const { lines } of commits)
      for (const { stream, line } of lines) {
        if (stream === PROJECT_STREAM || behind.has(stream)) continue;
        const tree = this.#treeOf(stream);
        if (line.seq > tree.seq + 1) behind.add(stream);
        else this.#take(tree, line);
        folded += 1;
        if (folded % LINES_AT_ONCE === 0) await nextTick();
        if (this.#batch.length >= MAX_BATCH) await this.#deliver(signal);
      }
  }

  /** Reads what this does not have of a tree. */
  async #catchUp(rootId: RootId, signal: AbortSignal): Promise<void> {
    const { store } = this.#parts;
    const tree = this.#treeOf(rootId);
    for (;;) {
      signal.throwIfAborted();
      const lines = await store.read(rootId, tree.seq, LINES_AT_ONCE).catch((error: unknown) => {
        if (store.damageOf(rootId) !== undefined) return []; // doctor reports it; the others are sent
        throw error;
      });
      for (const line of lines) this.#take(tree, line);
      if (this.#batch.length >= MAX_BATCH) await this.#deliver(signal);
      if (lines.length < LINES_AT_ONCE) return;
    }
  }

  #take(tree: TreeSpans, line: Line): void {
    if (line.seq !== tree.seq + 1) return; // known, or behind a gap
    const spans = tree.fold(line);
    if (line.pos > this.#saved) this.#batch.push(...spans);
  }

  #treeOf(rootId: RootId): TreeSpans {
    const tree = this.#trees.get(rootId) ?? new TreeSpans(rootId, this.#parts.options);
    // The one used last is the last in the map.
    this.#trees.delete(rootId);
    this.#trees.set(rootId, tree);
    const [oldest] = this.#trees.keys();
    // It is read again, from its beginning, when something happens there.
    if (this.#trees.size > MAX_TREES && oldest !== undefined) this.#trees.delete(oldest);
    return tree;
  }

  /** Until it is accepted. */
  async #deliver(signal: AbortSignal): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    for (let at = 0, size = MAX_BATCH; at < batch.length;) {
      const some = batch.slice(at, at + size);
      const verdict = await this.#parts.send(some, signal);
      if (verdict.kind === "too_large" && some.length > 1) size = Math.ceil(some.length / 2);
      else if (verdict.kind === "later") await this.#retryLater(verdict, signal);
      else {
        if (verdict.kind === "accepted") this.#accepted(some.length, verdict.note);
        else this.#parts.report(`${this.#parts.place} refused ${some.length} spans for good: ${verdict.why}`);
        at += some.length;
      }
    }
  }

  #retryMs = FIRST_RETRY_MS;

  async #retryLater({ why, afterMs = 0 }: Extract<Verdict, { why: string }>, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new Error(why);
    this.#failed(new Error(why));
    await this.#parts.clock.sleep(Math.min(MAX_RETRY_MS, Math.max(afterMs, this.#retryMs)), signal);
    this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2);
    if (await this.#cursor.claim()) return;
    this.#forget();
    throw new Replaced("Another process sends the traces now.");
  }

  #accepted(spans: number, note: string | undefined): void {
    this.#sent += spans;
    this.#retryMs = FIRST_RETRY_MS;
    if (note !== undefined) this.#parts.report(`${this.#parts.place} took only a part of ${spans} spans: ${note}`);
    if (this.#failing === undefined) return;
    this.#failing = undefined;
    this.#parts.report(`Traces are sent to ${this.#parts.place} again.`);
  }

  #failed(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    if (this.#failing === undefined)
      this.#parts.report(`Traces cannot be sent to ${this.#parts.place}: ${why}. They are kept in the log and sent when it answers.`);
    this.#failing = why;
  }
}

class Replaced extends Error {}

const NEVER = new Promise<never>(() => {});
const nextTick = (): Promise<void> => new Promise((go) => setImmediate(go));
