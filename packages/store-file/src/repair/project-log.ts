import { type Line, LOG_VERSION, PROJECT_STREAM } from "@colloquy/schema";
import { withChecksum } from "../courses/checksum.ts";
import { readWhole, replaceFile } from "../disk/disk.ts";
import { isRootId, PLACES } from "../disk/layout.ts";
import { StreamFiles } from "../inspect/stream-files.ts";
import { survey } from "../inspect/survey.ts";
import { linesOf, readableLine } from "./raw-lines.ts";
import type { RepairRun } from "./repair-run.ts";

/**
 * Rebuilds the project's own log from the lines that can be read and from what the trees know. Its events are numbered anew, since
 * nothing refers to the numbers. Trees do not know grants: those calls ask again.
 */
export async function rebuildProjectLog(run: RepairRun, time: string): Promise<string[]> {
  const { disk, layout, meaning } = run;
  const path = layout.course(PROJECT_STREAM, "run", 1);
  const name = layout.name(path);
  const isThere = disk.stat(path) !== undefined;
  const old = disk.stat(path)?.isFolder === false ? linesOf(readWhole(disk, path) ?? Buffer.alloc(0)) : [];
  if (isThere) disk.rename(path, `${path}.bad-${time}`);
  const kept = old.flatMap((line) => readableLine(line) ?? []).filter(({ events }) => isProjectPart(run, events));
  const trees = treesOf(run);
  const known = kept.flatMap(({ events }) => events);
  const missing = meaning?.missingFromProject?.(known, trees) ?? [];
  const last = kept.at(-1) ?? { pos: Math.max(1, ...trees.map(({ pos }) => pos)), at: run.at, events: [] };
  const lines = [...kept.slice(0, -1), { ...last, events: [...last.events, ...missing] }].filter(({ events }) => events.length > 0);
  let seq = 1;
  const texts = lines.map(({ pos, at, events }) => {
    const text = withChecksum(JSON.stringify({ v: LOG_VERSION, pos, seq, at, events }).slice(0, -1));
    seq += events.length;
    return text;
  });
  await replaceFile(disk, path, Buffer.from(texts.join("")));
  disk.remove(layout.snapshot(PROJECT_STREAM, "run"));
  run.changed.add(PROJECT_STREAM);
  const from = isThere ? `; the old file is kept in ${name}.bad-${time}` : "";
  return [
    `${name} is rebuilt from ${trees.length} dialogs: ${seq - 1} events, ${missing.length} of them from the dialogs' own logs${from}.`,
  ];
}

function treesOf({ disk, layout }: RepairRun) {
  return Object.values(PLACES).flatMap((place) =>
    disk
      .list(layout.place(place))
      .filter(isRootId)
      .flatMap((rootId) => {
        const found = survey(new StreamFiles(disk, layout, rootId, place));
        return found ? [{ rootId, pos: found.pos, opened: found.foldable, lines: found.lines }] : [];
      }),
  );
}

function isProjectPart({ at, meaning }: RepairRun, events: readonly unknown[]): boolean {
  const line = { v: LOG_VERSION, pos: 1, seq: 1, at, events: events as Line["events"] };
  return meaning?.fold(PROJECT_STREAM, { base: undefined, lines: [line] }, new Set()).flaw === undefined;
}
