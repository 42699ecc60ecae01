import {
  type Entry,
  Fault,
  type Line,
  migrateLine,
  PROJECT_STREAM,
  type RootId,
  type Snapshot,
  type Status,
  type StreamId,
} from "@colloquy/schema";
import {
  checkBlobName,
  closed,
  type Committed,
  conflict,
  type ListQuery,
  type LogCursor,
  type Opened,
  type Past,
  type Store,
  type StoreHealth,
  type StreamPart,
} from "@colloquy/store";
import type { QueryConfig, QueryResultRow } from "pg";
import { Commits, type Foreign, type Pending } from "./commits.ts";
import { CONFLICT, codeOf, FENCED, translated } from "./faults.ts";
import type { Link } from "./link.ts";
import type { Membership } from "./membership.ts";
import { postgresCursor } from "./postgres-cursor.ts";
import { beginStaging, endStaging, stageLines } from "./staging.ts";
import { commitBatch, type HeadRow, insertBase, linesAfter, MAX_LINES_READ, openStream, readLines } from "./statements.ts";
import type { StoreAddress } from "./store-address.ts";
import { PostgresDocuments } from "./stored-documents.ts";
import type { TreeIndex } from "./tree-index.ts";

/** The result of opening a project. */
export interface Ground {
  readonly address: StoreAddress;
  readonly membership: Membership;
  /** Commits, one group after the other. */
  readonly writing: Link;
  /** Everything else; its session shows that this node lives. */
  readonly session: Link;
  readonly index: TreeIndex;
  readonly pos: number;
  /** The number of the last change of a document. */
  readonly documents: number;
  readonly crashed: boolean;
  /** Assigned when the project was created; distinguishes two projects of one name. */
  readonly projectId: string;
}

interface LineRow extends QueryResultRow {
  readonly seq: number;
  readonly pos: number | null;
  readonly at: number | null;
  readonly v: number | null;
  readonly text: string;
}

interface ForeignRow extends LineRow {
  readonly stream: StreamId;
  readonly head: number;
  readonly course: number;
  readonly entry: string | null;
  readonly owner: string | null;
  readonly epoch: number;
  readonly hot: boolean;
}

/** The store in a PostgreSQL database: a commit is a row per stream and one change of that stream's head, a group of commits one statement. */
export class PostgresStore implements Store {
  readonly crashed: boolean;
  readonly projectId: string;
  readonly documents: PostgresDocuments;
  readonly #ground: Ground;
  readonly #index: TreeIndex;
  readonly #commits: Commits;
  readonly #damaged = new Map<StreamId, Fault>();
  /** Pasts of trees that no commit has continued yet. */
  readonly #staged = new Set<StreamId>();
  /** The last batch of the node. */
  #batch = { node: "", nth: 0 };
  #failed: Fault | undefined;
  /** Why the last commits were refused. */
  #full: Fault | undefined;
  #closing: Promise<void> | undefined;

  constructor(ground: Ground) {
    this.#ground = ground;
    this.crashed = ground.crashed;
    this.projectId = ground.projectId;
    this.#index = ground.index;
    this.documents = new PostgresDocuments(ground.address.schema, ground.documents, (query) => this.#query(query));
    this.#commits = new Commits(ground.index, ground.pos, {
      write: (batch) => this.#write(batch),
      after: (pos, upTo = Infinity) => this.#after(pos, upTo),
      isOwner: ({ owner }) => owner === ground.membership.node,
      lost: (stream) => ground.membership.lostTree(stream),
      orphaned: () => void ground.membership.claim().catch(() => undefined), // the next check finds it
    });
  }

  get cluster(): Membership {
    return this.#ground.membership;
  }

  /** Joins the project's work. */
  join(): this {
    this.#ground.membership.start(this.#ground.session, {
      heardOf: (pos) => this.#commits.heardOf(pos),
      catchUp: () => this.#commits.catchUp(),
      documentsChanged: () => this.documents.heard(),
      failed: () => undefined, // `health` reports it, and the next check retries
    });
    return this;
  }

  async commit(parts: readonly StreamPart[], atMs: number): Promise<Committed> {
    const damage = this.#damaged.size > 0 ? parts.map(({ stream }) => this.#damaged.get(stream)).find((fault) => fault) : undefined;
    const refusal = this.#closing ? closed() : (this.#failed ?? damage);
    if (refusal) throw refusal;
    const committed = this.#commits.add(parts, atMs);
    if (this.#staged.size > 0) await committed.then(() => parts.forEach(({ stream }) => this.#staged.delete(stream)));
    return committed;
  }

  async stage(stream: RootId, { lines, blobs }: Past): Promise<Pick<Snapshot, "seq">> {
    if (this.has(stream)) throw conflict(stream, 0, 1);
    this.#staged.add(stream);
    const { schema } = this.#ground.address;
    await this.#query(beginStaging(schema, stream, this.#ground.membership.node));
    const head = { seq: 0, course: 1 };
    for await (const some of lines) {
      for (const { line, course, checkpoint } of some) {
        if (course > head.course && line.seq > 1) await this.#query(insertBase(schema, stream, checkpoint()));
        head.course = course;
        head.seq = line.seq + line.events.length - 1;
      }
      await this.#query(stageLines(schema, stream, some));
    }
    for await (const { name, content } of blobs) await this.putBlob(stream, name, content);
    await this.#query(endStaging(schema, stream, head));
    this.#index.put(stream, { ...head, entry: undefined });
    return head;
  }

  async read(stream: StreamId, after: number, limit?: number): Promise<readonly Line[]> {
    if (this.#staged.has(stream)) return [];
    const rows = await this.#query<LineRow>(readLines(this.#ground.address.schema, stream, after, limit), stream);
    return rows.map((row) => this.#line(stream, row));
  }

  async open(stream: StreamId, reducer: number): Promise<Opened | undefined> {
    if (this.#staged.has(stream)) return undefined;
    const rows = await this.#query<LineRow>(openStream(this.#ground.address.schema, stream, reducer), stream);
    if (rows.length === 0) return undefined;
    const base = rows.find(({ pos }) => pos === null);
    return {
      base: base && (JSON.parse(base.text) as Snapshot),
      lines: rows.filter((row) => row !== base).map((row) => this.#line(stream, row)),
    };
  }

  async markDamaged(stream: StreamId, seq: number, cause: unknown): Promise<Fault> {
    return this.#damage(stream, `Event ${seq} of ${stream} cannot be folded`, cause);
  }

  damageOf(rootId: RootId): string | undefined {
    return this.#damaged.get(rootId)?.message;
  }

  async saveSnapshot(stream: StreamId, snapshot: Snapshot): Promise<void> {
    // A snapshot built on commits in flight must not survive their failure.
    if (snapshot.seq > (this.#index.head(stream)?.seq ?? 0)) await this.#commits.whenDurable();
    if (this.#closing || snapshot.seq > (this.#index.head(stream)?.seq ?? 0)) return;
    await this.#query(insertBase(this.#ground.address.schema, stream, snapshot));
  }

  list(query: ListQuery = {}): readonly Entry[] {
    return this.#index.list(query);
  }

  has(rootId: RootId): boolean {
    return this.#index.has(rootId);
  }

  entry(rootId: RootId): Entry | undefined {
    return this.#index.entry(rootId);
  }

  find(digits: string, limit: number): readonly RootId[] {
    return this.#index.find(digits, limit);
  }

  count(status?: Status): number {
    return this.#index.count(status);
  }

  openQuestions(): number {
    return this.#index.openQuestions;
  }

  asking(): readonly RootId[] {
    return this.#index.marked("asking");
  }

  timed(): readonly RootId[] {
    return this.#index.marked("timed");
  }

  faulted(): readonly RootId[] {
    return this.#index.marked("faulted");
  }

  hot(): readonly RootId[] {
    return this.#index.marked("hot");
  }

  watch(listener: (committed: Committed) => void): () => void {
    return this.#commits.watch(listener);
  }

  cursor(name: string): LogCursor {
    const { address, membership } = this.#ground;
    return postgresCursor(name, { schema: address.schema, node: () => membership.node, query: (query) => this.#query(query) });
  }

  async *changedSince(pos: number): AsyncGenerator<RootId> {
    const text = `select distinct stream from "${this.#ground.address.schema}".lines where pos > $1 and stream <> $2`;
    const rows = await this.#query<{ stream: RootId }>({ name: "changed", text, values: [pos, PROJECT_STREAM] });
    for (const { stream } of rows) yield stream;
  }

  async putBlob(stream: RootId, name: string, content: Uint8Array): Promise<void> {
    checkBlobName(name);
    const text = `insert into "${this.#ground.address.schema}".blobs values ($1, $2, $3)
      on conflict (stream, name) do update set content = excluded.content`;
    await this.#query({ name: "put", text, values: [stream, name, Buffer.from(content)] });
  }

  async getBlob(stream: RootId, name: string): Promise<Uint8Array | undefined> {
    checkBlobName(name);
    const text = `select content from "${this.#ground.address.schema}".blobs where stream = $1 and name = $2`;
    const [row] = await this.#query<{ content: Buffer }>({ name: "get", text, values: [stream, name] });
    return row && Uint8Array.from(row.content);
  }

  async blobNames(stream: RootId): Promise<readonly string[]> {
    const text = `select name from "${this.#ground.address.schema}".blobs where stream = $1 order by name collate "C"`;
    return (await this.#query<{ name: string }>({ name: "names", text, values: [stream] })).map(({ name }) => name);
  }

  /** A database has no folders for people. */
  async project(): Promise<void> {}

  recovered(): Iterable<RootId> {
    return [];
  }

  async bytes(): Promise<number> {
    const text = `select coalesce(sum(pg_total_relation_size(c.oid)), 0)::text as bytes from pg_class c
      join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind = 'r'`;
    const [row] = await this.#query<{ bytes: string }>({ name: "bytes", text, values: [this.#ground.address.schema] });
    return Number(row?.bytes ?? 0);
  }

  health(): StoreHealth {
    return {
      kind: "postgres",
      pos: this.#commits.pos,
      trees: this.count(),
      ...this.#commits.counts,
      nodes: this.#ground.membership.size,
      refusing: this.#refusing(),
      notices: [],
    };
  }

  close({ asCrashed = false } = {}): Promise<void> {
    return (this.#closing ??= this.#close(asCrashed));
  }

  /** Ends the connections at once without cleanup, like a dying process. */
  async abandon(): Promise<void> {
    this.#closing ??= Promise.resolve();
    this.#ground.membership.abandon();
    await Promise.all([this.#ground.writing.end(closed(), "at once"), this.#ground.session.end(closed(), "at once")]);
  }

  async #close(asCrashed: boolean): Promise<void> {
    const { membership, writing, session } = this.#ground;
    // Without a connection the outcome of commits in flight is unknown.
    if (writing.lostSince !== undefined) await writing.end(closed());
    await this.#commits.whenDurable();
    if (session.lostSince === undefined) await membership.leave(asCrashed || this.#failed !== undefined).catch(() => undefined); // its lease expires
    else membership.abandon();
    await Promise.all([writing.end(closed()), session.end(closed())]);
  }

  #refusing(): string | undefined {
    if (this.#closing) return closed().message;
    const since = this.#ground.writing.lostSince ?? this.#ground.session.lostSince;
    const away =
      since === undefined
        ? undefined
        : `No connection to ${this.#ground.address.shown} since ${new Date(since).toISOString()}. Nothing new is accepted; work resumes by itself.`;
    return this.#failed?.message ?? this.#full?.message ?? away;
  }

  async #write(batch: readonly Pending[]): Promise<readonly HeadRow[]> {
    const { address, membership, writing, session } = this.#ground;
    if (this.#failed) throw this.#failed;
    const { node, place, claims } = membership;
    const nth = this.#batch.node === node ? this.#batch.nth + 1 : 1;
    try {
      const heads = await writing.run<HeadRow>(commitBatch({ schema: address.schema, node, place, claims }, nth, batch));
      this.#batch = { node, nth };
      this.#full = undefined;
      return heads;
    } catch (error) {
      if (codeOf(error) === CONFLICT) throw new Fault("log_conflict", "now", "Another writer was first.", { cause: error });
      if (codeOf(error) === FENCED) {
        // Nothing of it was committed. The caller decides again, and the next node commits it.
        await session.renew(() => membership.node === node);
        throw new Fault("log_conflict", "now", "This node was declared dead.", { cause: error });
      }
      const fault = error instanceof Fault ? error : translated(error, address);
      if (fault.code === "log_full") this.#full = fault;
      else this.#failed = fault;
      throw fault;
    }
  }

  async #after(pos: number, upTo: number): Promise<readonly Foreign[]> {
    const { session, address } = this.#ground;
    const rows = await session.run<ForeignRow>(linesAfter(address.schema, pos, upTo));
    const commits = Map.groupBy(rows, (row) => row.pos ?? 0);
    // The last one may have more lines than were read.
    if (rows.length === MAX_LINES_READ && commits.size > 1) commits.delete(rows.at(-1)?.pos ?? 0);
    return [...commits].map(([at, parts]) => ({
      pos: at,
      isForeign: true,
      lines: parts.flatMap((row) => this.#readable(row)),
      heads: parts.map(({ stream, head, course, entry, owner, epoch, hot }) => ({ stream, last: head, course, entry, owner, epoch, hot })),
    }));
  }

  /** A damaged line is reported when its stream is read. */
  #readable(row: ForeignRow): readonly { readonly stream: StreamId; readonly line: Line }[] {
    try {
      return [{ stream: row.stream, line: this.#line(row.stream, row) }];
    } catch {
      return []; // it counts as damaged now
    }
  }

  async #query<Row extends QueryResultRow>(query: QueryConfig, stream?: StreamId): Promise<Row[]> {
    if (this.#closing) throw closed();
    const damage = stream && this.#damaged.get(stream);
    if (damage) throw damage;
    try {
      return await this.#ground.session.run<Row>(query);
    } catch (error) {
      throw error instanceof Fault ? error : translated(error, this.#ground.address);
    }
  }

  #line(stream: StreamId, { seq, pos, at, v, text }: LineRow): Line {
    const newer = () => this.#damage(stream, `Event ${seq} of ${stream} was written by a newer Colloquy: update this one. It`);
    try {
      const line = migrateLine({ v: v ?? 0, pos: Math.abs(pos ?? 0), seq, at: new Date(at ?? 0).toISOString(), events: JSON.parse(text) });
      if (line) return line;
    } catch (error) {
      throw this.#damage(stream, `Event ${seq} of ${stream}`, error);
    }
    throw newer();
  }

  #damage(stream: StreamId, what: string, cause?: unknown): Fault {
    const fault = new Fault("log_corrupt", "never", `${what} cannot be read. Only this dialog is affected.`, { cause });
    this.#damaged.set(stream, fault);
    return fault;
  }
}
