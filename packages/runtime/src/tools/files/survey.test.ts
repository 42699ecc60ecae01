import { linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type FolderMemo, type FolderMemory } from "./folder-memory.ts";
import { survey } from "./survey.ts";

/** A project whose folders changed long enough ago to be cached. */
async function settled(): Promise<{ readonly dir: string; readonly memory: FolderMemory }> {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-survey-"));
  for (const folder of ["src/deep/er", "lib", "memory/team", "tasks/a.tsk", ".git/hooks", "node_modules/p"])
    mkdirSync(join(dir, folder), { recursive: true });
  for (const file of ["src/a.txt", "src/deep/b.txt", "src/deep/er/c.txt", "lib/d.txt", "memory/team/m.md", ".env", "tasks/a.tsk/g.md"])
    writeFileSync(join(dir, file), file);
  writeFileSync(join(dir, ".git/config"), "[core]\n");
  const memory: FolderMemory = new Map<string, FolderMemo>();
  await expect
    .poll(() => {
      survey(dir, [], false, memory);
      return [...memory.keys()].toSorted();
    })
    .toEqual(["", ".git", ".git/hooks", "lib", "src", "src/deep", "src/deep/er", "tasks"]);
  return { dir, memory };
}

const changes: readonly (readonly [string, (dir: string) => void])[] = [
  ["nothing", () => {}],
  ["a hidden file deep below", (dir) => writeFileSync(join(dir, "src/deep/er/.env"), "K=1")],
  ["a hidden folder", (dir) => mkdirSync(join(dir, "lib/x.tsk"))],
  ["a folder that moves", (dir) => renameSync(join(dir, "src/deep"), join(dir, "lib/deep"))],
  [
    "folders that change places",
    (dir) =>
      [
        ["src", "t"],
        ["lib", "src"],
        ["t", "lib"],
      ].forEach(([from = "", to = ""]) => renameSync(join(dir, from), join(dir, to))),
  ],
  [
    "a folder that becomes a link",
    (dir) => (renameSync(join(dir, "src/deep"), join(dir, "deep")), symlinkSync("../deep", join(dir, "src/deep"))),
  ],
  ["an open file that gets a hidden name", (dir) => linkSync(join(dir, "src/deep/b.txt"), join(dir, "lib/key.pem"))],
  ["an open file that gets a name in a hidden folder", (dir) => linkSync(join(dir, "src/deep/b.txt"), join(dir, "memory/team/linked.md"))],
  ["a hidden file that gets an open name", (dir) => linkSync(join(dir, ".env"), join(dir, "src/deep/er/open.txt"))],
  ["a protected file that gets an open name", (dir) => linkSync(join(dir, ".git/config"), join(dir, "lib/config.txt"))],
  ["two open names of one file", (dir) => linkSync(join(dir, "src/a.txt"), join(dir, "lib/a.txt"))],
  ["a repository", (dir) => (mkdirSync(join(dir, "lib/.git")), writeFileSync(join(dir, "lib/.git/config"), ""))],
  ["a folder that is gone", (dir) => rmSync(join(dir, "src"), { recursive: true })],
  [
    "a hidden file behind a time that was set back",
    (dir) => (writeFileSync(join(dir, "lib/.env"), ""), utimesSync(join(dir, "lib"), 1, 1)),
  ],
];

test("[H32] an unchanged folder is not read again", async () => {
  const { dir, memory } = await settled();
  const before = new Map(memory);
  writeFileSync(join(dir, "lib/new.txt"), "");
  survey(dir, [], false, memory);
  const read = [...before].filter(([path, memo]) => memory.get(path) !== memo).map(([path]) => path);
  expect(read).toEqual(["lib"]);
});

test.each(changes)("[H32] the folder cache hides nothing: %s", async (_what, change) => {
  const { dir, memory } = await settled();
  change(dir);
  const fresh = survey(dir, [], false, new Map());
  expect(survey(dir, [], false, memory)).toEqual(fresh);
  expect(survey(dir, [], false, memory)).toEqual(fresh);
});
