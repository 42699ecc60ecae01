import { type DialogId, type Entry, type ProjectEvent, type RootId, type Snapshot, type TreeEvent, timeOrderedId } from "@colloquy/schema";
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
