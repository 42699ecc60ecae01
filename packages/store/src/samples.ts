import {
  type DialogId,
  type Entry,
  type Line,
  LOG_VERSION,
  type ProjectEvent,
  type RootId,
  type Snapshot,
  type TreeEvent,
  timeOrderedId,
} from "@colloquy/schema";
import type { Past } from "./past.ts";
import type { StreamPart } from "./store.ts";

/** The nth tree of a test; a later one has a greater id. */
export const treeId = (n: number): RootId => timeOrderedId(1_760_000_000_000 + n, new Uint8Array(10).fill(n % 256)) as RootId;

export const said = (rootId: RootId, content: string, course = 1): TreeEvent => ({
  type: "message.added",
  dialog: rootId as string as DialogId,
  course,
  by: "anna",
  content,
  to: [],
});

export const made = (rootId: RootId): ProjectEvent => ({ type: "tree.created", rootId, by: "anna" });

export const deleted = (rootId: RootId): ProjectEvent => ({ type: "tree.deleted", rootId, by: "anna" });

export const entryFor = (rootId: RootId, over: Partial<Entry> = {}): Entry => ({
  rootId,
  status: "running",
  hot: false,
  agent: "lead",
  title: `Tree ${rootId.slice(-6)}`,
  state: "idle",
  createdAt: "2026-11-15T09:00:00.000Z",
  lastModified: "2026-11-15T09:00:00.000Z",
  ...over,
});

/** A part that says `texts` on top of `expected`. */
export const saying = (rootId: RootId, expected: number, texts: readonly string[], over: Partial<StreamPart> = {}): StreamPart => ({
  stream: rootId,
  expected,
  events: texts.map((text) => said(rootId, text, over.course ?? 1)),
  entry: entryFor(rootId),
  ...over,
});

export const snapshotAt = (seq: number, over: Partial<Snapshot> = {}): Snapshot => ({
  reducer: 1,
  seq,
  pos: seq,
  state: { at: seq },
  ...over,
});

export const copyOf = (rootId: RootId, from: RootId): TreeEvent => ({
  type: "dialog.copied",
  dialog: rootId as string as DialogId,
  course: 2,
  as: "import",
  from,
  at: 4,
});

/** Four events in two courses, from a project with more commits than this one, and a blob. */
export function samplePast(rootId: RootId): Past {
  const line = (day: number, seq: number, ...events: readonly TreeEvent[]): Line => ({
    v: LOG_VERSION,
    pos: 50 + day * 20,
    seq,
    at: `2025-01-0${day}T00:00:00.000Z`,
    events,
  });
  return {
    lines: (async function* () {
      yield [{ line: line(1, 1, said(rootId, "a"), said(rootId, "b")), course: 1, checkpoint: () => snapshotAt(0) }];
      yield [{ line: line(2, 3, said(rootId, "c", 2), said(rootId, "d", 2)), course: 2, checkpoint: () => snapshotAt(2) }];
    })(),
    blobs: (async function* () {
      yield { name: "picture.png", content: new Uint8Array([1, 2, 3]) };
    })(),
  };
}
