import type { Line, RootId } from "@colloquy/schema";
import type { LogSource, TreeLine } from "./log-source.ts";
import type { Verdict } from "./sender.ts";
import type { Span } from "./span.ts";
import type { SpanOptions } from "./span-writer.ts";
import { TreeSpans } from "./tree-spans.ts";

export interface FollowerClock {
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface FollowerParts {
  readonly source: LogSource;
  readonly clock: FollowerClock;
  readonly options: SpanOptions;
  readonly send: (spans: readonly Span[], signal: AbortSignal) => Promise<Verdict>;
  /** Where it sends, for messages. */
  readonly place: string;
  readonly report: (message: string) => void;
}

/** The state of the export. */
export interface SendingState {
  readonly sentSpans: number;
  /** Why the last attempt failed, while it is so. */
  readonly failing: string | undefined;
}

const MAX_BATCH = 512;
const MAX_TREES = 500;
/** Commits within this time are sent together. */
const DELAY_MS = 1_000;
const FIRST_RETRY_MS = 1_000;
/** Shorter than the lease on the cursor. */
const MAX_RETRY_MS = 5_000;
const LINES_AT_ONCE = 200;
/** How long the last attempt may take when the project is closed. */
const LAST_MS = 2_000;

/**
 * Sends the spans of every tree, once. It follows the log: a commit leaves only a note here, and unsent lines are read again, so a
 * collector that is down costs no memory and loses nothing. The position is saved once the collector has accepted everything before it.
 */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #trees = new Map<RootId, TreeSpans>();
  readonly #stop = new AbortController();
  /** This process is the one that sends. */
  #isSender = false;
  /** The collector accepted everything up to here. */
  #saved = 0;
  #batch: Span[] = [];
  #hasNews = false;
  #wake = Promise.withResolvers<void>();
  /** There is so much that it should not wait for more. */
  #isMuch = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;
  #round: Promise<void> = Promise.resolve();
  #sent = 0;
  #failing: string | undefined;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    parts.source.onNews((isMuch) => this.#hear(isMuch));
  }

  get state(): SendingState {
    return { sentSpans: this.#sent, failing: this.#failing };
  }

  /** Commits after this position are seen live. */
  async start(): Promise<void> {
    await this.#claim().catch((error: unknown) => this.#failed(error));
    this.#running = this.#run();
  }

  /** Sends everything pending at once. Resolves when the collector accepted it; rejects with the reason if not. */
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
    await this.#sendAll(last).catch(() => undefined); // the next process sends it
    this.#forget();
    await this.#parts.source.release().catch(() => undefined); // its lease ends by itself
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

  /** Waits until commits have been gathered, or the lease must be renewed. */
  async #idle(): Promise<void> {
    const { clock, source } = this.#parts;
    const over = new AbortController();
    if (this.#isSender && !this.#hasNews) {
      const renewal = source.isShared ? clock.sleep(MAX_RETRY_MS, over.signal).catch(() => undefined) : NEVER;
      await Promise.race([this.#wake.promise, renewal]);
    }
    if (!this.#stop.signal.aborted)
      await Promise.race([this.#sleep(this.#isSender ? DELAY_MS : MAX_RETRY_MS, over.signal), this.#isMuch.promise]);
    over.abort();
  }

  #hear(isMuch: boolean): void {
    this.#hasNews = true;
    this.#wake.resolve();
    if (isMuch) this.#isMuch.resolve();
  }

  async #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const until = signal ? AbortSignal.any([this.#stop.signal, signal]) : this.#stop.signal;
    await this.#parts.clock.sleep(ms, until).catch(() => undefined); // closing, or no longer needed
  }

  /** True if this process is the one that sends. */
  async #claim(): Promise<boolean> {
    const { source } = this.#parts;
    const claimed = await source.claim();
    if (!claimed) {
      this.#forget();
      return false;
    }
    if (this.#isSender) return true;
    // What happened before tracing was on is not sent.
    if (claimed.pos === undefined) await source.save(claimed.notedFrom);
    this.#saved = claimed.pos ?? claimed.notedFrom;
    this.#isSender = true;
    if (this.#saved < claimed.notedFrom) {
      source.lookAgain();
      this.#hear(true);
    }
    return true;
  }

  #forget(): void {
    this.#isSender = false;
    this.#hasNews = false;
    this.#isMuch = Promise.withResolvers<void>();
    this.#trees.clear();
    this.#batch = [];
  }

  async #sendAll(signal: AbortSignal = this.#stop.signal): Promise<void> {
    if (!this.#isSender) return;
    const { source } = this.#parts;
    this.#hasNews = false;
    this.#wake = Promise.withResolvers<void>();
    this.#isMuch = Promise.withResolvers<void>();
    const { seen, lines, trees, isIncomplete } = await source.take();
    if (seen <= this.#saved) return;
    try {
      const behind = new Set(trees);
      await this.#fold(lines, behind, signal);
      for (let isFirst = true; isIncomplete; isFirst = false) {
        const changed = await source.changed(this.#saved, isFirst);
        if (changed.length === 0) break;
        for (const rootId of changed) await this.#catchUp(rootId, signal);
      }
      for (const rootId of behind) await this.#catchUp(rootId, signal);
      await this.#deliver(signal);
      if (!(await source.save(seen))) return this.#forget();
      this.#saved = Math.max(this.#saved, seen);
    } catch (error) {
      // Folded but perhaps not sent: it is read again from the saved position.
      this.#trees.clear();
      this.#batch = [];
      source.lookAgain();
      this.#hasNews = true;
      throw error;
    }
  }

  async #fold(lines: readonly TreeLine[], behind: Set<RootId>, signal: AbortSignal): Promise<void> {
    for (const [nth, { stream, line }] of lines.entries()) {
      if (!behind.has(stream)) {
        const tree = this.#treeOf(stream);
        if (line.seq > tree.seq + 1) behind.add(stream);
        else this.#take(tree, line);
      }
      if ((nth + 1) % LINES_AT_ONCE === 0) await nextTick();
      if (this.#batch.length >= MAX_BATCH) await this.#deliver(signal);
    }
  }

  /** Reads the missing lines of a tree. */
  async #catchUp(rootId: RootId, signal: AbortSignal): Promise<void> {
    const tree = this.#treeOf(rootId);
    for (;;) {
      signal.throwIfAborted();
      const lines = await this.#parts.source.read(rootId, tree.seq, LINES_AT_ONCE);
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
    // The next event in it causes it to be read again from its beginning.
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
    if (await this.#parts.source.claim()) return;
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
