import { PROJECT_STREAM, type StreamId } from "@colloquy/schema";
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
export function redo(journal: FoundJournal, catalog: Catalog, behind: WriteBehind): Redone {
  const suspects = new Set<StreamId>();
  let last = 0;
  for (const { commits } of journal.scans) {
    for (const { payload } of commits) {
      const { pos, shares } = decodeCommit(payload);
      last = pos;
      for (const share of shares) if (!redoShare({ ...share, pos }, catalog, behind)) suspects.add(share.stream);
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
