import { Fault, PROJECT_STREAM, shortId, type StreamId } from "@colloquy/schema";
import { type Disk, readWhole } from "../disk/disk.ts";
import type { Layout, StatusFolder } from "../disk/layout.ts";
import type { Folded, Meaning } from "./meaning.ts";
import { type PlacedSnapshot, snapshotFrom } from "../courses/snapshot-file.ts";
import { type Damage, type Survey, survey } from "./survey.ts";

/** A stream's files, read and folded from first line to last. */
export interface Examined extends Survey {
  /** Undefined if the lines' meaning is unknown, or they cannot be folded without what is lost. */
  readonly folded: Folded | undefined;
  readonly snapshot: PlacedSnapshot | undefined;
}

/** The first damage is an unreadable line, or an earlier line that can be read but not folded. */
export function examine(
  disk: Disk,
  layout: Layout,
  stream: StreamId,
  place: StatusFolder,
  meaning: Meaning | undefined,
): Examined | undefined {
  const found = survey(disk, layout, stream, place);
  if (!found) return undefined;
  const { base, lines } = found.foldable;
  const snapshot = meaning && snapshotOf(disk, layout, stream, place, meaning.reducer);
  if (!meaning || (base && base.reducer !== meaning.reducer)) return { ...found, folded: undefined, snapshot };
  const kept = [...found.checkpoints.map((one) => one.snapshot), ...(snapshot ? [snapshot.snapshot] : [])];
  const folded = meaning.fold(stream, found.foldable, new Set(kept.map(({ seq }) => seq)));
  const damage = (folded.flaw && flawAt(layout, stream, place, found, folded.flaw, found.lines.length - lines.length)) ?? found.damage;
  return { ...found, damage, folded, snapshot };
}

function flawAt(
  layout: Layout,
  stream: StreamId,
  place: StatusFolder,
  { places, lines }: Survey,
  { line, why }: { readonly line: number; readonly why: string },
  offset: number,
): Damage | undefined {
  const at = places[line + offset];
  if (!at) return undefined;
  const file = layout.name(layout.course(stream, place, at.course));
  const way = stream === PROJECT_STREAM ? "colloquy doctor --fix" : `colloquy doctor ${shortId(stream)} --fix`;
  const message =
    `${file}:${at.line} makes no sense: ${why}. Only ${stream === PROJECT_STREAM ? "the project's own log" : "this dialog"} is affected. ` +
    `If a newer Colloquy wrote it, update this one; else ${way} cuts it out and keeps it beside.`;
  return { ...at, seq: lines[line + offset]?.seq ?? 1, fault: new Fault("log_corrupt", "never", message) };
}

function snapshotOf(disk: Disk, layout: Layout, stream: StreamId, place: StatusFolder, reducer: number): PlacedSnapshot | undefined {
  try {
    return snapshotFrom(readWhole(disk, layout.snapshot(stream, place))?.toString() ?? "", reducer);
  } catch {
    return undefined; // what is in its place is found with the files
  }
}
