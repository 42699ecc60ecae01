import { applyAll, emptyTree, entryOf, mainDialog, type Tree, treeSnapshot } from "@colloquy/core";
import { Fault, type Line, PROJECT_STREAM, type RootId, type StreamId, type TreeEvent } from "@colloquy/schema";
import { blobsOf } from "../copies/fork-dialog.ts";
import { deletedIn, type Past, type PastLine, type Store, type StreamPart } from "@colloquy/store";

/** Lines of a stream read at once, and commits in flight at once. */
const PAGE_LINES = 50;
const MAX_IN_FLIGHT = 200;

/** The position of a stream's copy. */
interface Cursor {
  readonly stream: StreamId;
  lines: readonly Line[];
  seq: number;
  tree: Tree | undefined;
}

export interface CopiedLog {
  readonly commits: number;
  readonly trees: number;
  /** The folders of the trees' Taskdocs. */
  readonly taskdocs: readonly string[];
}

/**
 * Commits the whole log of one store to another, empty one, in the same order and with the same numbers (without gaps, if trees were
 * deleted); then compares both.
 */
export async function copyLog(from: Store, to: Store): Promise<CopiedLog> {
  const trees = from.list().map(({ rootId }) => rootId);
  const commits = from.health().pos;
  const hasDeletions = await deletesTrees(from);
  // By the next commit of each stream. A commit may span several streams.
  const next = new Map<number, Cursor[]>();
  const goOn = async (cursor: Cursor) => {
    if (cursor.lines.length === 0) cursor.lines = await from.read(cursor.stream, cursor.seq, PAGE_LINES);
    const pos = cursor.lines[0]?.pos;
    if (pos !== undefined) next.set(pos, [...(next.get(pos) ?? []), cursor]);
  };
  await goOn({ stream: PROJECT_STREAM, lines: [], seq: 0, tree: undefined });
  for (const rootId of trees) await goOn(await begun(from, to, rootId));
  for (const rootId of trees) if (!from.entry(rootId)?.copied) await copyBlobs(from, to, rootId);

  const taskdocs = new Set<string>();
  const inFlight: Promise<void>[] = [];
  let made = 0;
  for (let pos = 1; pos <= commits; pos += 1) {
    const cursors = next.get(pos);
    // Commits to trees that were deleted are gone: the copy's numbers have no gaps.
    if (!cursors && hasDeletions) continue;
    if (!cursors) throw new Fault("log_corrupt", "never", `Commit ${pos} is missing in the log. Nothing was moved. Look: colloquy doctor`);
    next.delete(pos);
    const at = Date.parse(cursors[0]?.lines[0]?.at ?? "");
    const number = (made += 1);
    inFlight.push(to.commit(cursors.map(partOf), at).then((committed) => demandSame(committed.pos, number)));
    for (const cursor of cursors) {
      const folder = cursor.tree && mainDialog(cursor.tree)?.taskDocPath;
      if (folder !== undefined) taskdocs.add(folder);
      await goOn(cursor);
    }
    if (inFlight.length >= MAX_IN_FLIGHT) await Promise.all(inFlight.splice(0));
  }
  await Promise.all(inFlight);
  for (const stream of [PROJECT_STREAM, ...trees] as StreamId[]) await compare(from, to, stream, hasDeletions);
  return { commits: made, trees: trees.length, taskdocs: [...taskdocs] };
}

/** A tree that is a copy itself begins with its past, which has the numbers of other commits. */
async function begun(from: Store, to: Store, rootId: RootId): Promise<Cursor> {
  const cursor: Cursor = { stream: rootId, lines: [], seq: 0, tree: emptyTree(rootId) };
  const past = (from.entry(rootId)?.copied?.seq ?? 1) - 1;
  if (past === 0) return cursor;
  async function* lines(): Past["lines"] {
    while (cursor.seq < past) {
      cursor.lines = (await from.read(rootId, cursor.seq, PAGE_LINES)).filter(({ seq }) => seq <= past);
      const some: PastLine[] = [];
      for (let [line] = cursor.lines; line; [line] = cursor.lines) {
        const { course = 1, checkpoint = () => treeSnapshot(emptyTree(rootId), 0) } = partOf(cursor);
        some.push({ line, course, checkpoint });
      }
      yield some;
    }
  }
  await to.stage(rootId, { lines: lines(), blobs: blobsOf(from, rootId) });
  return cursor;
}

/** The part of the cursor's next line, as the runtime would commit it; moves the cursor past it. */
function partOf(cursor: Cursor): StreamPart {
  const [line, ...rest] = cursor.lines;
  if (!line) throw new Fault("log_corrupt", "never", `${cursor.stream} ends too early. Look: colloquy doctor`);
  const { stream, seq: expected, tree: before } = cursor;
  cursor.lines = rest;
  cursor.seq = line.seq + line.events.length - 1;
  if (!before) return { stream, expected, events: line.events };
  const after = applyAll(before, line.events as TreeEvent[], Date.parse(line.at));
  cursor.tree = after;
  const entry = entryOf(after);
  const course = mainDialog(after)?.course ?? 1;
  return { stream, expected, events: line.events, ...(entry && { entry }), course, checkpoint: () => treeSnapshot(before, 0) };
}

async function copyBlobs(from: Store, to: Store, rootId: RootId): Promise<void> {
  for await (const { name, content } of blobsOf(from, rootId)) await to.putBlob(rootId, name, content);
}

async function deletesTrees(from: Store): Promise<boolean> {
  for (let seq = 0; ;) {
    const lines = await from.read(PROJECT_STREAM, seq, PAGE_LINES);
    if (lines.some(({ events }) => deletedIn(PROJECT_STREAM, events).length > 0)) return true;
    const last = lines.at(-1);
    if (!last) return false;
    seq = last.seq + last.events.length - 1;
  }
}

async function compare(from: Store, to: Store, stream: StreamId, hasOwnNumbers: boolean): Promise<void> {
  const text = (lines: readonly Line[]) => JSON.stringify(hasOwnNumbers ? lines.map((line) => ({ ...line, pos: 0 })) : lines);
  for (let seq = 0; ;) {
    const [ours, theirs] = [await from.read(stream, seq, PAGE_LINES), await to.read(stream, seq, PAGE_LINES)];
    if (text(ours) !== text(theirs))
      throw new Fault("log_corrupt", "never", `The copy of ${stream} differs after event ${seq}. Nothing was moved.`);
    const last = ours.at(-1);
    if (!last) return;
    seq = last.seq + last.events.length - 1;
  }
}

function demandSame(given: number, wanted: number): void {
  if (given !== wanted) throw new Fault("log_conflict", "never", `The copy of commit ${wanted} became commit ${given}. Nothing was moved.`);
}
