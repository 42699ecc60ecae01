import {
  type AnyEvent,
  Bug,
  type Entry,
  Fault,
  LOG_VERSION,
  type Line,
  PROJECT_STREAM,
  type RootId,
  type Snapshot,
  type StreamId,
} from "@colloquy/schema";
import { deletedIn } from "./deleted.ts";
import { closed, conflict } from "./faults.ts";
import type { Past } from "./past.ts";
import type { Committed, ListQuery, Opened, Store, StreamPart } from "./store.ts";

/** Everything as JSON text, so that later changes to a caller's object show up. */
interface Stream {
  readonly lines: { readonly first: number; readonly last: number; readonly text: string }[];
  /** Possible bases, oldest first. */
  readonly bases: { readonly reducer: number; readonly seq: number; readonly text: string }[];
  entry: string | undefined;
  course: number;
}

/** What outlives a memory store: pass it to the next one, like a disk after a crash. */
export interface MemoryBacking {
  readonly streams: Map<StreamId, Stream>;
  readonly blobs: Map<string, Uint8Array>;
  /** Positions of followers, by name. */
  readonly cursors: Map<string, number>;
  pos: number;
  /** The store that holds it. A replaced one can write no more. */
  holder: unknown;
}

export const memoryBacking = (): MemoryBacking => ({ streams: new Map(), blobs: new Map(), cursors: new Map(), pos: 0, holder: undefined });

interface Numbered {
  readonly part: StreamPart;
  readonly line: Line;
  readonly text: string;
  readonly base: Snapshot | undefined;
}

/** A store without a disk, for tests and trials. */
export function memoryStore(backing: MemoryBacking = memoryBacking()): Store {
  const self = Symbol("memory store");
  const crashed = backing.holder !== undefined;
  backing.holder = self;

  /** Streams with commits in flight, as they will be. */
  const ahead = new Map<StreamId, { seq: number; course: number }>();
  /** Pasts of trees that no commit has continued yet. */
  const staged = new Map<StreamId, Stream & { readonly blobs: Map<string, Uint8Array> }>();
  const damaged = new Map<StreamId, Fault>();
  const listeners = new Set<(committed: Committed) => void>();
  let queue: { parts: readonly Numbered[]; resolve: (committed: Committed) => void; reject: (error: unknown) => void }[] = [];
  let pos = backing.pos;
  const counts = { commits: 0, syncs: 0, commitMs: 0, syncMs: 0 };

  const isHeld = () => backing.holder === self;
  const demandWhole = (stream: StreamId) => {
    const damage = damaged.get(stream);
    if (damage) throw damage;
  };
  const seqOf = (stream: StreamId) => backing.streams.get(stream)?.lines.at(-1)?.last ?? 0;
  const headOf = (stream: StreamId) => {
    const { lines = [], course = 1 } = backing.streams.get(stream) ?? staged.get(stream) ?? {};
    return ahead.get(stream) ?? { seq: lines.at(-1)?.last ?? 0, course };
  };

  function number(parts: readonly StreamPart[], atMs: number): Numbered[] {
    if (parts.length === 0 || parts.some((part) => part.events.length === 0)) throw new Bug("A commit without events");
    if (new Set(parts.map((part) => part.stream)).size < parts.length) throw new Bug("A commit with the same stream twice");
    for (const { stream, expected } of parts) {
      demandWhole(stream);
      if (headOf(stream).seq !== expected) throw conflict(stream, expected, headOf(stream).seq);
    }
    pos += 1;
    const at = new Date(atMs).toISOString();
    return parts.map((part) => {
      const head = headOf(part.stream);
      const course = part.course ?? head.course;
      const line: Line = { v: LOG_VERSION, pos, seq: part.expected + 1, at, events: part.events };
      ahead.set(part.stream, { seq: part.expected + part.events.length, course });
      return { part, line, text: JSON.stringify(line), base: course > head.course ? part.checkpoint?.() : undefined };
    });
  }

  function flush() {
    const batch = queue;
    queue = [];
    counts.syncs += 1;
    for (const { parts, resolve, reject } of batch) {
      if (!isHeld()) {
        reject(closed());
        continue;
      }
      for (const numbered of parts) keep(numbered);
      for (const { part } of parts) deletedIn(part.stream, part.events).forEach(remove);
      backing.pos = parts[0]?.line.pos ?? backing.pos;
      counts.commits += 1;
      const committed = { pos: backing.pos, lines: parts.map(({ part, text }) => ({ stream: part.stream, line: parse(text) })) };
      for (const listener of listeners) listener(committed);
      resolve(committed);
    }
    if (queue.length === 0) ahead.clear();
  }

  function keep({ part, line, text, base }: Numbered) {
    const known = backing.streams.get(part.stream) ?? staged.get(part.stream);
    // It was submitted before its tree was deleted.
    if (!known && part.expected > 0) return;
    const stream = known ?? newStream();
    backing.streams.set(part.stream, stream);
    for (const [key, content] of staged.get(part.stream)?.blobs ?? []) backing.blobs.set(key, content);
    staged.delete(part.stream);
    if (base) stream.bases.push(baseOf(base));
    stream.lines.push({ first: line.seq, last: line.seq + line.events.length - 1, text });
    stream.course = part.course ?? stream.course;
    if (part.entry) stream.entry = JSON.stringify(part.entry);
  }

  function remove(rootId: RootId) {
    backing.streams.delete(rootId);
    ahead.delete(rootId);
    damaged.delete(rootId);
    for (const key of backing.blobs.keys()) if (key.startsWith(`${rootId}/`)) backing.blobs.delete(key);
  }

  /** Newest first. */
  function entries(): Entry[] {
    const texts = [...backing.streams.values()].map((stream) => stream.entry).filter((text) => text !== undefined);
    return texts.map((text) => JSON.parse(text) as Entry).sort((a, b) => (a.rootId < b.rootId ? 1 : -1));
  }

  return {
    commit(parts, atMs) {
      return new Promise((resolve, reject) => {
        if (!isHeld()) throw closed();
        const numbered = number(parts, atMs);
        if (queue.length === 0) queueMicrotask(flush);
        queue.push({ parts: numbered, resolve, reject });
      });
    },

    async stage(stream, past: Past) {
      if (!isHeld()) throw closed();
      if (backing.streams.has(stream)) throw conflict(stream, 0, seqOf(stream));
      const kept = { ...newStream(), blobs: new Map<string, Uint8Array>() };
      for await (const lines of past.lines)
        for (const { line, course, checkpoint } of lines) {
          if (course > kept.course && kept.lines.length > 0) kept.bases.push(baseOf(checkpoint()));
          kept.lines.push({ first: line.seq, last: line.seq + line.events.length - 1, text: JSON.stringify(line) });
          kept.course = course;
        }
      for await (const { name, content } of past.blobs) kept.blobs.set(blobKey(stream, name), Uint8Array.from(content));
      staged.set(stream, kept);
      return { seq: kept.lines.at(-1)?.last ?? 0 };
    },

    async read(stream, after, limit = Infinity) {
      if (!isHeld()) throw closed();
      demandWhole(stream);
      const lines = backing.streams.get(stream)?.lines.filter((line) => line.last > after) ?? [];
      return lines.slice(0, limit).map((line) => parse(line.text));
    },

    async open(stream, reducer): Promise<Opened | undefined> {
      if (!isHeld()) throw closed();
      demandWhole(stream);
      const kept = backing.streams.get(stream);
      if (!kept) return undefined;
      const head = seqOf(stream);
      const fitting = kept.bases.filter((base) => base.reducer === reducer && base.seq > 0 && base.seq <= head);
      const newest = fitting.reduce<(typeof fitting)[number] | undefined>(
        (best, base) => (best && best.seq > base.seq ? best : base),
        undefined,
      );
      const lines = kept.lines.filter((line) => line.last > (newest?.seq ?? 0)).map((line) => parse(line.text));
      return { base: newest && (JSON.parse(newest.text) as Snapshot), lines };
    },

    async markDamaged(stream, seq, cause) {
      const fault = new Fault("log_corrupt", "never", `Event ${seq} of ${stream} cannot be folded. Only this dialog is affected.`, {
        cause,
      });
      damaged.set(stream, fault);
      return fault;
    },
    damageOf: (rootId) => damaged.get(rootId)?.message,

    async saveSnapshot(stream, snapshot) {
      await Promise.resolve(); // everything submitted before it is settled by now
      if (!isHeld()) throw closed();
      if (snapshot.seq > seqOf(stream)) return;
      backing.streams.get(stream)?.bases.push(baseOf(snapshot));
    },

    list({ status, after, limit = Infinity }: ListQuery = {}) {
      const fits = (entry: Entry) => (!status || entry.status === status) && (!after || entry.rootId < after);
      return entries().filter(fits).slice(0, limit);
    },
    has: (rootId) => backing.streams.get(rootId)?.entry !== undefined,
    entry(rootId) {
      const text = backing.streams.get(rootId)?.entry;
      return text === undefined ? undefined : (JSON.parse(text) as Entry);
    },
    find(digits, limit) {
      const ids = entries().map((entry) => entry.rootId);
      return ids.filter((id) => id.startsWith(digits) || id.endsWith(digits)).slice(0, limit);
    },
    count: (status) => entries().filter((entry) => !status || entry.status === status).length,
    openQuestions: () => entries().reduce((sum, entry) => sum + (entry.questions?.length ?? 0), 0),
    asking: () =>
      entries()
        .filter((entry) => entry.questions?.length || entry.unsettled?.length)
        .map((entry) => entry.rootId),
    timed: () =>
      entries()
        .filter((entry) => entry.due !== undefined)
        .map((entry) => entry.rootId),
    faulted: () =>
      entries()
        .filter((entry) => entry.questions?.some(({ kind }) => kind === "fault"))
        .map((entry) => entry.rootId),
    hot: () =>
      entries()
        .filter((entry) => entry.hot)
        .map((entry) => entry.rootId),

    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    cursor: (name) => ({
      async claim() {
        if (!isHeld()) throw closed();
        return { pos: backing.cursors.get(name) };
      },
      async save(saved) {
        if (!isHeld()) throw closed();
        backing.cursors.set(name, saved);
        return true;
      },
      release: async () => undefined,
    }),
    async *changedSince(after) {
      for (const [stream, { lines }] of backing.streams) {
        const last = lines.at(-1);
        if (stream !== PROJECT_STREAM && last && parse(last.text).pos > after) yield stream;
      }
    },

    async putBlob(stream, name, content) {
      if (!isHeld()) throw closed();
      backing.blobs.set(blobKey(stream, name), Uint8Array.from(content));
    },
    async getBlob(stream, name) {
      const content = backing.blobs.get(blobKey(stream, name));
      return content && Uint8Array.from(content);
    },
    async blobNames(stream) {
      const keys = [...backing.blobs.keys()].filter((key) => key.startsWith(`${stream}/`));
      return keys.map((key) => key.slice(stream.length + 1)).sort();
    },

    async project() {},
    crashed,
    recovered: () => [],

    health: () => ({
      kind: "memory",
      pos: backing.pos,
      trees: entries().length,
      ...counts,
      refusing: isHeld() ? undefined : "The store is closed.",
      notices: [],
    }),

    async close({ asCrashed = false } = {}) {
      await Promise.resolve();
      if (isHeld()) backing.holder = asCrashed ? Symbol("left unfinished") : undefined;
    },
  };
}

const newStream = (): Stream => ({ lines: [], bases: [], entry: undefined, course: 1 });
const baseOf = (snapshot: Snapshot): Stream["bases"][number] => ({
  reducer: snapshot.reducer,
  seq: snapshot.seq,
  text: JSON.stringify(snapshot),
});
const parse = (text: string): Line<AnyEvent> => JSON.parse(text) as Line;

function blobKey(stream: RootId, name: string): string {
  checkBlobName(name);
  return `${stream}/${name}`;
}

/** In some stores a blob's name is a file's name: it must not lead elsewhere. */
export const isBlobName = (name: string): boolean => /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(name);

/** A name that does is our own mistake. */
export function checkBlobName(name: string): void {
  if (!isBlobName(name)) throw new Bug(`Not a name for a blob: ${JSON.stringify(name)}`);
}
