import { entryOf } from "@colloquy/core";
import { meaning } from "@colloquy/library/meaning";
import { foldTree } from "@colloquy/runtime";
import type { RootId } from "@colloquy/schema";
import { type Disk, type FileStoreOptions, inspect, openFileStore, repair } from "@colloquy/store-file";
import { demand } from "./broken.ts";
import type { Chance } from "./world/chance.ts";
import type { Site } from "./world/site.ts";

/** Ways to damage a line of a tree's log. */
const HARMS: readonly ((line: string, other: string) => readonly string[])[] = [
  () => [],
  (line) => [line, line],
  (line) => [line.slice(0, line.length / 2)],
  () => ['{"hello":"world"}'],
  (line) => [line.replace(/"type":"[a-z.]+"/, '"type":"dialog.danced"')],
  (line) => [line.replace(/"dialog":"[0-9a-f]+"/, `"dialog":"${"0".repeat(32)}"`)],
  (_, other) => [other],
];

/**
 * The last event of a story: damages the files of one tree. Before that everything is in order; afterwards every other tree is listed
 * and read as before, only this one is reported, and it is repaired. Dead processes may have left files behind: doctor mentions them,
 * and the repair removes them.
 */
export async function demandLocalDamage(
  { dir, ledger }: Site,
  options: FileStoreOptions & { readonly disk: Disk },
  chance: Chance,
): Promise<void> {
  const care = {
    ...options,
    meaning,
    foldEntry: (rootId: RootId, opened: Parameters<typeof foldTree>[1]) => entryOf(foldTree(rootId, opened)),
  };
  const find = async () => (await inspect(dir, care)).filter(({ kind }) => kind !== "noticed");
  const wrong = async () => (await find()).filter(({ kind }) => kind !== "leftover");
  const before = await wrong();
  demand(before.length === 0, "SI20", () => `nobody has damaged anything: ${JSON.stringify(before[0])}`);
  const trees = [...ledger.trees.keys()];
  const victim = chance.pick(trees);
  const others = trees.filter((rootId) => rootId !== victim);
  if (victim === undefined || others.length === 0) return;
  const status = ledger.trees.get(victim)?.dialogs.get(victim as never)?.status ?? "running";
  const what = harm(`${dir}/.dialogs/${PLACES[status]}/${victim}`, options.disk, chance);

  const demandOthers = async (when: string) => {
    const store = await openFileStore(dir, { ...care, isBackground: false });
    for (const rootId of others) {
      const tree = ledger.trees.get(rootId);
      const isSame = JSON.stringify(await store.read(rootId, 0)) === JSON.stringify(ledger.lines(rootId));
      const isListed = JSON.stringify(store.entry(rootId)) === JSON.stringify(tree && entryOf(tree));
      demand(isSame && isListed, "SI20", () => `${rootId} is not as it was ${when} ${victim} (${what})`);
    }
    await store.close();
  };
  await demandOthers("after damage to");
  const found = await wrong();
  demand(
    found.every(({ rootId }) => rootId === victim),
    "SI20",
    () => `only ${victim} was damaged (${what}): ${JSON.stringify(found)}`,
  );
  await repair(dir, care);
  const left = await find();
  demand(left.length === 0, "SI20", () => `${victim} (${what}) is not repaired: ${JSON.stringify(left[0])}`);
  await demandOthers("after the repair of");
}

const PLACES = { running: "run", completed: "done", archived: "archive" } as const;

/** Damages a line of one of the tree's course files, or removes the file. Returns what it did. */
function harm(folder: string, disk: Disk, chance: Chance): string {
  const files = disk.list(folder).filter((name) => /^course-\d+\.jsonl$/.test(name));
  const path = `${folder}/${chance.pick(files)}`;
  if (chance.is(0.1)) {
    disk.remove(path);
    return `${path} is removed`;
  }
  const fd = disk.open(path, "write");
  const bytes = Buffer.alloc(disk.stat(path)?.size ?? 0);
  disk.read(fd, bytes, 0);
  const lines = bytes.toString().trimEnd().split("\n");
  const n = chance.below(lines.length);
  const nth = chance.below(HARMS.length);
  const changed = [...lines.slice(0, n), ...(HARMS[nth]?.(lines[n] ?? "", chance.pick(lines) ?? "") ?? []), ...lines.slice(n + 1)];
  const text = Buffer.from(changed.map((line) => `${line}\n`).join(""));
  disk.truncate(fd, 0);
  disk.write(fd, text, 0);
  disk.close(fd);
  return `harm ${nth} to ${path}:${n + 1}`;
}
