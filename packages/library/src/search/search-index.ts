import { existsSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { effectNews } from "@colloquy/core";
import { type EffectView, Fault, type Line, type RootId, type TreeEvent } from "@colloquy/schema";
import { deletedIn } from "@colloquy/store";
import type { Project } from "../project/project.ts";
import type { Batch, BatchedEffect, EffectSearch, FromIndex, Hit, Indexed, ToIndex } from "./messages.ts";
import { wordsOf } from "./words.ts";

const ADD_MS = 200;
/** Lines of a log that are read at once while the index catches up. */
const PAGE_LINES = 500;

/** How long a search waits for the index. A small project is indexed by then; in a large one the search returns what is there. */
const PATIENCE_MS = 3_000;
const aMoment = () => new Promise<void>((go) => setTimeout(go, PATIENCE_MS).unref());

type Source = Pick<Project, "dir" | "dialogs" | "onCommit">;

/**
 * Full-text search in titles and texts. Built from the log in a thread of its own; if deleted, it is rebuilt.
 * No commit waits for it.
 */
export class SearchIndex {
  readonly #source: Source;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { readonly resolve: (answer: FromIndex) => void; readonly reject: (error: Error) => void }>();
  readonly #heard = new Map<RootId, Line<TreeEvent>[]>();
  readonly #copies = new Set<RootId>();
  /** Deleted trees that the index may still have. */
  readonly #deleted = new Set<RootId>();
  readonly #stop: () => void;
  readonly #report: (error: unknown) => void;
  readonly #caughtUp: Promise<void>;
  #ids = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosing = false;
  isComplete = false;

  constructor(source: Source, report: (error: unknown) => void) {
    this.#source = source;
    this.#report = report;
    const isSource = import.meta.url.endsWith(".ts");
    this.#worker = new Worker(new URL(isSource ? "./search.worker.ts" : "./search.worker.js", import.meta.url));
    this.#worker.unref();
    this.#worker.on("message", (answer: FromIndex) => {
      this.#waiting.get(answer.id)?.resolve(answer);
      this.#waiting.delete(answer.id);
      if (this.#waiting.size === 0) this.#worker.unref();
    });
    this.#worker.on("error", (error) => {
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
      report(error);
    });
    // Listen before reading, so that no commit in between is missed.
    this.#stop = source.onCommit(({ lines }) => {
      for (const { stream, line } of lines) if (stream !== "project") this.#hear(stream, line as Line<TreeEvent>);
      for (const { stream, line } of lines) for (const rootId of deletedIn(stream, line.events)) this.#forget(rootId);
    });
    this.#caughtUp = this.#catchUp(source);
    this.#caughtUp.catch(report);
  }

  /** Newest first. Texts that are still being indexed may be missing, unless `whole` waits for them. */
  async search(query: string, limit: number, whole = false): Promise<readonly Hit[]> {
    await (whole ? this.#caughtUp : Promise.race([this.#caughtUp, aMoment()]));
    await this.#addHeard();
    const answer = await this.#ask({ type: "search", query, limit });
    return "hits" in answer ? answer.hits : [];
  }

  /** Rows of the ledger, newest first. Waits like a search. */
  async effects(wanted: EffectSearch, whole = false): Promise<readonly EffectView[]> {
    await (whole ? this.#caughtUp : Promise.race([this.#caughtUp, aMoment()]));
    await this.#addHeard();
    const answer = await this.#ask({ type: "effects", wanted });
    return "effects" in answer ? answer.effects : [];
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stop();
    clearTimeout(this.#timer);
    await this.#caughtUp.catch(() => undefined); // it has been reported
    await this.#addHeard().catch(this.#report);
    await this.#ask({ type: "close" }).catch(this.#report);
    await this.#worker.terminate();
  }

  async #catchUp(source: Source): Promise<void> {
    const folder = join(source.dir, ".dialogs");
    const answer = await this.#ask({ type: "open", path: existsSync(folder) ? join(folder, "search.sqlite") : ":memory:" });
    const { opened, isClean } = "opened" in answer ? answer : { opened: [], isClean: false };
    const known = new Map(opened.map((one) => [one.rootId, one] as const));
    const gone = opened.flatMap(({ rootId }) => (source.dialogs.entry(rootId) ? [] : [rootId]));
    if (gone.length > 0) await this.#ask({ type: "forget", trees: gone });
    for (const { rootId, lastModified } of source.dialogs.list()) {
      if (this.#isClosing) return;
      const before = known.get(rootId);
      // Two commits with the same time look alike; only a cleanly closed index is sure to have both.
      if (before && (before.at > lastModified || (isClean && before.at === lastModified))) continue;
      await this.#catchUpWith(source, rootId, before).catch(this.#report); // a log that cannot be read: doctor says more
    }
    this.isComplete = true;
    this.#later();
  }

  async #catchUpWith(source: Source, rootId: RootId, before: Indexed | undefined): Promise<void> {
    for (let seq = before?.seq ?? 0; !this.#isClosing;) {
      const { lines } = await source.dialogs.eventsAfter(rootId, seq, PAGE_LINES);
      const batch = batchOf(rootId, lines);
      if (!batch) return;
      await this.#ask({ type: "add", batches: [batch] });
      seq = batch.seq;
    }
  }

  #hear(rootId: RootId, line: Line<TreeEvent>): void {
    // The past of a copy was stored before its first commit, which is the first that is heard of it.
    if (line.seq > 1 && line.events.some(({ type }) => type === "dialog.copied")) this.#copies.add(rootId);
    const lines = this.#heard.get(rootId);
    if (lines) lines.push(line);
    else this.#heard.set(rootId, [line]);
    if (this.isComplete) this.#later();
  }

  #forget(rootId: RootId): void {
    this.#heard.delete(rootId);
    this.#copies.delete(rootId);
    this.#deleted.add(rootId);
    if (this.isComplete) this.#later();
  }

  #later(): void {
    if (this.#heard.size > 0 || this.#deleted.size > 0)
      this.#timer ??= setTimeout(() => void this.#addHeard().catch(this.#report), ADD_MS).unref();
  }

  /** New commits of a tree wait until its past is indexed: the index only moves forward. */
  async #addHeard(): Promise<void> {
    if (!this.isComplete) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Before what was committed since: a copy may have got the id of a deleted tree.
    const gone = [...this.#deleted];
    this.#deleted.clear();
    if (gone.length > 0) await this.#ask({ type: "forget", trees: gone });
    const copies = [...this.#copies];
    this.#copies.clear();
    for (const rootId of copies) await this.#catchUpWith(this.#source, rootId, undefined).catch(this.#report);
    const batches = [...this.#heard].flatMap(([rootId, lines]) => batchOf(rootId, lines) ?? []);
    this.#heard.clear();
    if (batches.length > 0) await this.#ask({ type: "add", batches });
  }

  async #ask(message: ToIndex): Promise<FromIndex> {
    const id = ++this.#ids;
    this.#worker.ref();
    const answer = await new Promise<FromIndex>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ ...message, id });
    });
    if ("error" in answer)
      throw new Fault(
        "log_unavailable",
        "later",
        `The search index failed: ${answer.error}. Delete .dialogs/search.sqlite: it is made again.`,
      );
    return answer;
  }
}

function batchOf(rootId: RootId, lines: readonly Line<TreeEvent>[]): Batch | undefined {
  const last = lines.at(-1);
  if (!last) return undefined;
  const words = lines.flatMap(({ seq, at, events }) => events.flatMap((event, nth) => wordsOf(event, seq + nth, at) ?? []));
  const effects = lines.flatMap(({ seq, at, events }) => events.flatMap((event, nth) => effectsOf(event, seq + nth, at)));
  return { rootId, seq: last.seq + last.events.length - 1, at: last.at, words, effects };
}

const effectsOf = (event: TreeEvent, seq: number, at: string): readonly BatchedEffect[] =>
  event.type === "dialog.copied" ? [{ seq, isCopied: true }] : effectNews(event, at).map((news) => ({ seq, news }));
