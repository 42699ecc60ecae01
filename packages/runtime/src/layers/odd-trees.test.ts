// Folders that move over others, odd names, links in the place of files, and folders too deep to name.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyProject, copiedFolders } from "./copy.ts";
import { findChanges } from "./judge/changes.ts";
import { LayerFolder } from "./layer-folder.ts";
import { layers } from "./layers.ts";
import { execFileSync } from "node:child_process";
import { newCall, project, repository, stage, staged } from "./testing.ts";

/** The changes a command makes in a copy of the project. */
async function changesInCopy(dir: string, command: string, meanwhile = (): void => {}) {
  const layer = new LayerFolder(dir, newCall());
  const sinceNs = layer.make();
  const copiedNs = await copyProject(layer, new AbortController().signal);
  if (copiedNs === undefined) throw new Error("There is no copy.");
  execFileSync("/bin/sh", ["-c", command], { cwd: layer.merged });
  meanwhile();
  const scene = {
    lower: dir,
    upper: undefined,
    merged: layer.merged,
    copiedNs,
    copiedFolders: copiedFolders(layer),
    sinceNs,
    modes: new Map(),
  };
  const { changes } = findChanges(scene);
  layer.remove();
  return changes.map(({ path, before, after }) => `${!before ? "+" : !after ? "-" : "*"}${path}`);
}

test("[LY12] in a copy, a folder moved over another is detected", async () => {
  const dir = project({ "a/x": "old", "a/gone": "g", "a/sub/y": "1", "b/x": "new", "b/added": "n", "b/sub/y": "2", "c/z": "z" });
  expect(await changesInCopy(dir, "rm -r a; mv b a")).toEqual(["+a/added", "-a/gone", "*a/sub/y", "*a/x", "-b"]);
  expect(await changesInCopy(dir, "mv a t; mv b a; mv t b")).toEqual(
    "+a/added -a/gone *a/sub/y *a/x -b/added +b/gone *b/sub/y *b/x".split(" "),
  );
  expect(await changesInCopy(dir, "mv c d")).toEqual(["-c", "+d"]);
  expect(await changesInCopy(dir, "true", () => writeFileSync(join(dir, "c/z"), "a person's"))).toEqual([]);
});

test("[LY4] replacing a file with a link deletes the file", async () => {
  const dir = repository({ "tracked.txt": "t", "b.txt": "b" });
  writeFileSync(join(dir, "notes.txt"), "a week's work");
  const { effects } = await staged(dir, "ln -sf b.txt notes.txt; ln -sf b.txt tracked.txt");
  expect(effects.files).toEqual([
    { path: "notes.txt", kind: "deleted", bytesBefore: 13, isLost: true },
    { path: "tracked.txt", kind: "deleted", bytesBefore: 1 },
    { path: "notes.txt", kind: "created", bytes: 5 },
    { path: "tracked.txt", kind: "created", bytes: 5 },
  ]);
  expect(effects.counts).toMatchObject({ changed: 0, deleted: 2, created: 2, lost: 1 });
});

test("[LY11] a file whose name isn't valid UTF-8 stays when its folder is moved or deleted", async () => {
  for (const command of ["mv node_modules elsewhere", "rm -rf node_modules"]) {
    const dir = project({ "node_modules/p/a.js": "a", "b.txt": "b" });
    const odd = Buffer.concat([Buffer.from(`${dir}/node_modules/p/`), Buffer.from([0x6f, 0xff, 0x64])]);
    writeFileSync(odd, "work");
    const { callId, output } = await stage(dir, command).catch((error: unknown) => ({ callId: "", output: String(error) }));
    if (typeof output !== "string") {
      await layers.apply(callId, dir);
      expect(output.output).toContain("Tools may not make or change");
    }
    expect([command, existsSync(odd) && readFileSync(odd, "utf8")]).toEqual([command, "work"]);
  }
});

test("[LY14] folders too deep for a path are not kept, and nothing is left behind", async () => {
  const dir = project({ "a.txt": "a" });
  const { output } = await stage(dir, `perl -e 'for (1..20000) { mkdir "d"; chdir "d" }'; echo done`);
  expect(output).toContain("deeper than a path can name");
  expect(output).toContain("done");
  expect(readdirSync(dir)).toEqual(["a.txt"]);
});

test("[LY14] a project too deep to copy is not copied", async () => {
  const dir = project({ "a.txt": "a" });
  const layer = new LayerFolder(dir, newCall());
  execFileSync("/usr/bin/perl", ["-e", 'for (1..3000) { mkdir "d"; chdir "d" }'], { cwd: dir });
  layer.make();
  mkdirSync(join(dir, "b"));
  expect(await copyProject(layer, new AbortController().signal)).toBeUndefined();
  execFileSync("/bin/rm", ["-rf", join(dir, "d")]);
});
