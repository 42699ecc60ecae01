import type { FileRow } from "./file-row.ts";

export interface Moves {
  /** Deleted files, each with the new file that has its content. */
  readonly files: ReadonlyMap<FileRow, FileRow>;
  /** Folders that moved as a whole, from old to new. */
  readonly folders: ReadonlyMap<string, string>;
}

/** Detects moves: one file was deleted, and another created with the same content. */
export function findMoves(rows: readonly FileRow[], hashOf: (row: FileRow) => string | undefined): Moves {
  const [deleted, created] = [
    rows.filter((row) => row.kind === "deleted" && row.before),
    rows.filter((row) => row.kind === "created" && row.after),
  ];
  const files = new Map<FileRow, FileRow>();
  const taken = new Set<FileRow>();
  const folders = new Map<string, string>();
  const isSame = (one: FileRow, other: FileRow): boolean => {
    if (one.before?.bytes !== other.after?.bytes || one.before?.isLink !== other.after?.isLink) return false;
    if (one.before?.bytes === 0 || one.before?.isLink) return true;
    const hash = hashOf(one);
    return hash !== undefined && hash === hashOf(other);
  };

  const [oldFolders, newFolders] = [byGroup(deleted), byGroup(created)];
  for (const [from, old] of oldFolders) {
    for (const [to, fresh] of newFolders) {
      if (old.length !== fresh.length || [...folders.values()].includes(to)) continue;
      const inside = new Map(fresh.map((row) => [row.path.slice(to.length), row]));
      const pairs = old.map((row) => [row, inside.get(row.path.slice(from.length))] as const);
      if (!pairs.every(([row, other]) => other !== undefined && isSame(row, other))) continue;
      folders.set(from, to);
      for (const [row, other] of pairs) {
        if (!other) continue;
        files.set(row, other);
        taken.add(other);
      }
      break;
    }
  }

  const bySize = new Map<number, FileRow[]>();
  for (const row of created) {
    const bytes = row.after?.bytes ?? 0;
    if (bytes > 0 && row.after?.isLink === false && !taken.has(row)) bySize.set(bytes, [...(bySize.get(bytes) ?? []), row]);
  }
  for (const row of deleted) {
    if (files.has(row) || row.before?.isLink) continue;
    const match = bySize.get(row.before?.bytes ?? 0)?.find((other) => !taken.has(other) && isSame(row, other));
    if (!match) continue;
    files.set(row, match);
    taken.add(match);
  }
  return { files, folders };
}

function byGroup(rows: readonly FileRow[]): ReadonlyMap<string, readonly FileRow[]> {
  const groups = new Map<string, FileRow[]>();
  for (const row of rows) {
    if (row.group === undefined) continue;
    const group = groups.get(row.group);
    if (group) group.push(row);
    else groups.set(row.group, [row]);
  }
  return groups;
}
