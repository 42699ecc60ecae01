import type { CallEffects, FileEffect } from "@colloquy/schema";
import type { FileRow } from "./file-row.ts";
import type { Moves } from "./moves.ts";

const MAX_FILES = 200;
const MAX_REFUSED = 50;
const MAX_REACHING_OUT = 50;

export interface EffectParts {
  readonly rows: readonly FileRow[];
  readonly moves: Moves;
  readonly losses: ReadonlySet<FileRow>;
  readonly git: readonly string[];
  readonly reachesOut: readonly string[];
  readonly refused: readonly string[];
  readonly bytes: number;
}

/** A command's effects, for judging: counts are exact, and files that can't be recovered come first. */
export function effectsOf({ rows, moves, losses, git, reachesOut, refused, bytes }: EffectParts): CallEffects {
  const movedTo = new Set(moves.files.values());
  const isMoved = (row: FileRow) => moves.files.has(row) || movedTo.has(row);
  const count = (kind: FileRow["kind"]) => rows.filter((row) => row.kind === kind && (row.before || row.after) && !isMoved(row)).length;
  return {
    files: listed(rows, moves, losses, isMoved),
    counts: {
      created: count("created"),
      changed: count("changed"),
      emptied: count("emptied"),
      deleted: count("deleted"),
      moved: moves.files.size,
      lost: losses.size,
    },
    bytes,
    git: [...git],
    ...(reachesOut.length > 0 && { reachesOut: firstOf(reachesOut, MAX_REACHING_OUT) }),
    refused: firstOf(refused, MAX_REFUSED),
  };
}

const firstOf = (lines: readonly string[], max: number): string[] =>
  lines.length > max ? [...lines.slice(0, max), `and ${lines.length - max} more`] : [...lines];

function listed(rows: readonly FileRow[], moves: Moves, losses: ReadonlySet<FileRow>, isMoved: (row: FileRow) => boolean): FileEffect[] {
  const movedFolders = new Set(moves.folders.keys());
  const moved: FileEffect[] = [
    ...[...moves.folders].map(([from, path]): FileEffect => {
      const files = [...moves.files.keys()].filter((row) => row.group === from);
      return { path, kind: "moved", from, files: files.length, bytes: sum(files.map((row) => row.before?.bytes)) };
    }),
    ...[...moves.files].flatMap(([row, to]): FileEffect[] =>
      row.group !== undefined && movedFolders.has(row.group)
        ? []
        : [{ path: to.path, kind: "moved", from: row.path, bytes: to.after?.bytes ?? 0 }],
    ),
  ];
  const rest = rows.filter((row) => !isMoved(row));
  // A new folder is listed file by file while that is short; a deleted one is listed as a whole.
  const isShort = rest.length <= MAX_FILES;
  const groupOf = (row: FileRow) => (isShort && row.kind === "created" && row.after ? undefined : row.group);
  const groups = new Map<string, FileRow[]>();
  for (const row of rest) {
    const folder = groupOf(row);
    const key = folder === undefined ? `=${row.kind} ${row.path}` : `+${row.kind} ${folder}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  const single = [...groups.values()].flatMap((group): FileEffect[] => {
    const [first] = group;
    if (!first) return [];
    const folder = groupOf(first);
    return folder === undefined ? [effectOf(first, losses.has(first))] : folderEffects(folder, first.kind, group, losses);
  });
  return [...single, ...moved].toSorted(
    (one, other) => rank(one) - rank(other) || (other.files ?? 0) - (one.files ?? 0) || (one.path < other.path ? -1 : 1),
  );
}

/** One entry for the folder, and one for each lost file in it. */
function folderEffects(path: string, kind: FileRow["kind"], rows: readonly FileRow[], losses: ReadonlySet<FileRow>): FileEffect[] {
  const files = rows.filter((row) => row.before ?? row.after);
  const lost = files.filter((row) => losses.has(row));
  const before = sum(files.map((row) => row.before?.bytes));
  const after = sum(files.map((row) => row.after?.bytes));
  const whole: FileEffect = {
    path,
    kind,
    files: files.length,
    ...(kind === "deleted" ? { bytesBefore: before } : { bytes: after }),
    ...(lost.length > 0 && { isLost: true as const }),
  };
  return [whole, ...lost.slice(0, MAX_FILES).map((row) => effectOf(row, true))];
}

const effectOf = ({ path, kind, before, after }: FileRow, isLost: boolean): FileEffect => ({
  path,
  kind,
  ...(before && { bytesBefore: before.bytes }),
  ...(after && { bytes: after.bytes }),
  ...(isLost && { isLost: true as const }),
});

const ORDER: readonly FileEffect["kind"][] = ["deleted", "emptied", "moved", "changed", "mode", "created"];
const rank = ({ kind, isLost }: FileEffect): number => (isLost ? 0 : 10) + ORDER.indexOf(kind);
const sum = (values: readonly (number | undefined)[]): number => values.reduce<number>((total, value) => total + (value ?? 0), 0);
