import { Fault, PROJECT_STREAM, shortId } from "@colloquy/schema";
import { readWhole } from "../disk/disk.ts";
import type { Folded, Meaning } from "./meaning.ts";
import { type PlacedSnapshot, snapshotFrom } from "../courses/snapshot-file.ts";
import type { StreamFiles } from "./stream-files.ts";
import { type Damage, type Survey, survey } from "./survey.ts";

/** A stream's files, read and folded from first line to last. */
export interface Examined extends Survey {
  /** Undefined if the lines' meaning is unknown, or they cannot be folded without what is lost. */
  readonly folded: Folded | undefined;
  readonly snapshot: PlacedSnapshot | undefined;
}

/** The first damage is an unreadable line, or an earlier line that can be read but not folded. */
export function examine(files: StreamFiles, meaning: Meaning | undefined): Examined | undefined {
  const found = survey(files);
  if (!found) return undefined;
  const { base, lines } = found.foldable;
  const snapshot = meaning && snapshotOf(files, meaning.reducer);
  if (!meaning || (base && base.reducer !== meaning.reducer)) return { ...found, folded: undefined, snapshot };
  const kept = [...found.checkpoints.map((one) => one.snapshot), ...(snapshot ? [snapshot.snapshot] : [])];
  const folded = meaning.fold(files.stream, found.foldable, new Set(kept.map(({ seq }) => seq)));
  const flaw = folded.flaw && { ...folded.flaw, line: folded.flaw.line + found.lines.length - lines.length };
  const damage = (flaw && flawAt(files, found, flaw)) ?? found.damage;
  return { ...found, damage, folded, snapshot };
}

/** `line`: which of the readable lines cannot be folded. */
function flawAt(
  files: StreamFiles,
  { places, lines }: Survey,
  { line, why }: { readonly line: number; readonly why: string },
): Damage | undefined {
  const at = places[line];
  if (!at) return undefined;
  const { stream } = files;
  const file = files.nameOf(at.course);
  const way = stream === PROJECT_STREAM ? "colloquy doctor --fix" : `colloquy doctor ${shortId(stream)} --fix`;
  const message =
    `${file}:${at.line} makes no sense: ${why}. Only ${stream === PROJECT_STREAM ? "the project's own log" : "this dialog"} is affected. ` +
    `If a newer Colloquy wrote it, update this one; else ${way} cuts it out and keeps it beside.`;
  return { ...at, seq: lines[line]?.seq ?? 1, fault: new Fault("log_corrupt", "never", message) };
}

function snapshotOf({ disk, snapshot }: StreamFiles, reducer: number): PlacedSnapshot | undefined {
  try {
    return snapshotFrom(readWhole(disk, snapshot)?.toString() ?? "", reducer);
  } catch {
    return undefined; // reported with the other files
  }
}
