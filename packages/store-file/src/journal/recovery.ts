import { PROJECT_STREAM, type StreamId } from "@colloquy/schema";
import type { Catalog } from "../catalog.ts";
import { decodeCommit, type FoundShare } from "./commit-record.ts";
import type { FoundJournal } from "./journal-reader.ts";
import type { WriteBehind } from "../courses/write-behind.ts";

export interface Redone {
  readonly pos: number;
  /** Streams that miss something that the journal has lost. */
  readonly suspects: ReadonlySet<StreamId>;
}

/**
 * Takes what the journal holds into catalog and write-behind, where it stands as if it had just been committed. What the files have already
 * is written again: the bytes of a course file never change, so that does no harm, and nobody has to look whether a crash took them.
 */
export function redo(journal: FoundJournal, catalog: Catalog, behind: WriteBehind): Redone {
  const suspects = new Set<StreamId>();
  let last = 0;
  for (const { commits } of journal.scans) {
    for (const { payload } of commits) {
      const { pos, shares } = decodeCommit(payload);
      last = pos;
      for (const share of shares) if (!redoShare(share, catalog, behind)) suspects.add(share.stream);
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

/** Returns whether it goes on where the stream ended. */
function redoShare({ stream, seq, course, at, content, entry }: FoundShare, catalog: Catalog, behind: WriteBehind): boolean {
  const known = catalog.get(stream);
  behind.redo(stream, { course, at, bytes: content.length, buffer: content, from: 0 });
  // The catalog may be ahead: the index was written while commits went on, or was made again from files that had them already.
  if (!known || known.seq <= seq) catalog.put(stream, { seq, course, size: at + content.length, entry: entry ?? known?.entry });
  else if (!known.entry && entry) catalog.put(stream, { ...known, entry });
  return known === undefined ? course === 1 && at === 0 : course > known.course || at <= known.size;
}

/** Streams whose records are named in damaged bytes, and are nowhere else. */
function lostIn(text: string, catalog: Catalog): StreamId[] {
  const named = [...text.matchAll(/"stream":"([0-9a-f]{32,64}|project)","seq":(\d+)/g)];
  return named
    .map(([, stream, seq]) => ({ stream: stream as StreamId, seq: Number(seq) }))
    .filter(({ stream, seq }) => (catalog.head(stream)?.seq ?? Infinity) < seq)
    .map(({ stream }) => stream);
}

/** The damage goes where it belongs, so that it is still known when the journal is empty: a line that cannot be read. */
function mark(stream: StreamId, catalog: Catalog, behind: WriteBehind): void {
  const known = catalog.get(stream);
  if (!known) return;
  const text = Buffer.from(
    `{"damaged":"what the journal held for ${stream === PROJECT_STREAM ? "the project" : "this dialog"} is lost"}\n`,
  );
  behind.redo(stream, { course: known.course, at: known.size, bytes: text.length, buffer: text, from: 0 });
  catalog.put(stream, { ...known, size: known.size + text.length });
}
