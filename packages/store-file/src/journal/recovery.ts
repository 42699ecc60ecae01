import { type Line, PROJECT_STREAM, type StreamId } from "@colloquy/schema";
import { deletedIn } from "@colloquy/store";
import type { Catalog } from "../catalog.ts";
import { decodeCommit, type FoundShare } from "./commit-record.ts";
import type { FoundJournal } from "./journal-reader.ts";
import { INCOMING } from "../disk/layout.ts";
import type { WriteBehind } from "../courses/write-behind.ts";

export interface Redone {
  readonly pos: number;
  /** Streams that miss something the journal lost. */
  readonly suspects: ReadonlySet<StreamId>;
}

/**
 * Redoes the journal's records in catalog and write-behind, as if they had just been committed. Bytes already in the files are written
 * again: course file bytes never change, so that is harmless, and nothing has to check what the crash took.
 */
export function redo(journal: FoundJournal, catalog: Catalog, behind: WriteBehind, isRebuilt: boolean): Redone {
  const suspects = new Set<StreamId>();
  const { deleted, lastPos } = deletions(journal);
  const isGone = new Set<StreamId>();
  for (const [stream, pos] of deleted) {
    if (isRebuilt && isCopiedAgain(stream, pos)) continue;
    isGone.add(stream);
    catalog.remove(stream);
    behind.remove(stream);
  }
  let last = 0;
  /** Without an index, the journal may show deletions that are over: since then, a copy may have got the id. */
  function isCopiedAgain(stream: StreamId, pos: number): boolean {
    const head = catalog.head(stream);
    return head ? (head.pos ?? 0) > pos : (lastPos.get(stream) ?? 0) > pos && behind.locate(stream) === INCOMING;
  }
  for (const { commits } of journal.scans) {
    for (const { payload } of commits) {
      const { pos, shares } = decodeCommit(payload);
      last = pos;
      for (const share of shares) {
        if (isGone.has(share.stream) || pos <= (deleted.get(share.stream) ?? 0)) continue;
        if (!redoShare({ ...share, pos }, catalog, behind)) suspects.add(share.stream);
      }
    }
  }
  for (const { bytes, damaged } of journal.scans) {
    for (const { from, to } of damaged) {
      for (const stream of lostIn(bytes.toString("latin1", from, to), catalog)) {
        suspects.add(stream);
        mark(stream, catalog, behind);
      }
    }
  }
  return { pos: last, suspects };
}

/** Trees that the journal deletes, each with the position of that commit, and the positions of their last commits. */
function deletions(journal: FoundJournal) {
  const [deleted, lastPos] = [new Map<StreamId, number>(), new Map<StreamId, number>()];
  for (const { commits } of journal.scans)
    for (const { payload } of commits) {
      if (deleted.size === 0 && !payload.includes('"tree.deleted"')) continue;
      const { pos, shares } = decodeCommit(payload);
      for (const { stream, content } of shares) {
        if (deleted.has(stream)) lastPos.set(stream, pos);
        if (stream !== PROJECT_STREAM || !content.includes('"tree.deleted"')) continue;
        for (const { events } of linesIn(content)) for (const rootId of deletedIn(stream, events)) deleted.set(rootId, pos);
      }
    }
  return { deleted, lastPos };
}

const linesIn = (content: Buffer): readonly Line[] =>
  content
    .toString()
    .split("\n")
    .flatMap((text) => (text === "" ? [] : [JSON.parse(text) as Line]));

/** Returns whether it continues where the stream ended. */
function redoShare(
  { stream, seq, course, at, content, entry, pos }: FoundShare & { pos: number },
  catalog: Catalog,
  behind: WriteBehind,
): boolean {
  const known = catalog.get(stream);
  behind.redo(stream, { course, at, bytes: content.length, buffer: content, from: 0 });
  // The catalog may be ahead: the index was written while commits continued, or was rebuilt from files that already had them.
  if (!known || known.seq <= seq) catalog.put(stream, { seq, course, size: at + content.length, pos, entry: entry ?? known?.entry });
  else if (!known.entry && entry) catalog.put(stream, { ...known, entry });
  if (known) return course > known.course || at <= known.size;
  return (course === 1 && at === 0) || behind.locate(stream) === INCOMING;
}

/** Streams named only in damaged bytes. */
function lostIn(text: string, catalog: Catalog): StreamId[] {
  const named = [...text.matchAll(/"stream":"([0-9a-f]{32,64}|project)","seq":(\d+)/g)];
  return named
    .map(([, stream, seq]) => ({ stream: stream as StreamId, seq: Number(seq) }))
    .filter(({ stream, seq }) => (catalog.head(stream)?.seq ?? Infinity) < seq)
    .map(({ stream }) => stream);
}

/** Records the damage as an unreadable line in the stream's file, so that it is still known when the journal is empty. */
function mark(stream: StreamId, catalog: Catalog, behind: WriteBehind): void {
  const known = catalog.get(stream);
  if (!known) return;
  const text = Buffer.from(
    `{"damaged":"what the journal held for ${stream === PROJECT_STREAM ? "the project" : "this dialog"} is lost"}\n`,
  );
  behind.redo(stream, { course: known.course, at: known.size, bytes: text.length, buffer: text, from: 0 });
  catalog.put(stream, { ...known, size: known.size + text.length });
}
