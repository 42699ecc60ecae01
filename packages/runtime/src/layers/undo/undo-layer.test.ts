// Kills the process before each step of undoing, and lets another process finish.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { layers } from "../layers.ts";
import { contentOf, git, project, repository, staged } from "../testing.ts";

const COMMAND = [
  "echo changed > changed; rm deleted; rm -r folder; mkdir new; echo n > new/n",
  "rm to-folder; mkdir to-folder; echo in > to-folder/in; rm -r to-file; echo file > to-file",
  "rm link; ln -s new link; mv moved moved2; chmod 755 script; : > emptied; touch -d 2001-01-01 touched",
].join("\n");

function story(): string {
  const files = ["changed", "deleted", "folder/a", "folder/b", "to-folder", "to-file/x", "moved/m", "script", "emptied", "touched"];
  const dir = project(Object.fromEntries(files.map((path) => [path, `${path} before`])));
  symlinkSync("folder", join(dir, "link"));
  utimesSync(join(dir, "changed"), 1_600_000_000, 1_600_000_000);
  utimesSync(join(dir, "touched"), 1_600_000_000, 1_600_000_000);
  return dir;
}

const here = (name: string) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

/** Undoes it in a separate process that is killed before step `nth`. Returns the step, or undefined if it completed. */
function undoUntil(dir: string, callId: string, nth: number): string | undefined {
  const script = `import { writeSync } from "node:fs";
    import { undoLayer } from ${here("./undo-layer.ts")};
    import { LayerFolder } from ${here("../layer-folder.ts")};
    let left = ${nth};
    undoLayer(new LayerFolder(${JSON.stringify(dir)}, ${JSON.stringify(callId)}), (step) => {
      if (left-- > 0) return;
      writeSync(1, step);
      process.kill(process.pid, "SIGKILL");
    });`;
  const { signal, stdout, status, stderr } = spawnSync(process.execPath, ["--input-type=module-typescript", "--eval", script], {
    encoding: "utf8",
  });
  if (signal === "SIGKILL") return stdout;
  expect([status, stderr]).toEqual([0, ""]);
  return undefined;
}

async function applied(dir: string, command: string): Promise<string> {
  const { callId, apply } = await staged(dir, command);
  expect((await apply()).conflicts).toEqual([]);
  return callId;
}

const NOTHING = { conflicts: [], notes: [] };

test("[LY29] undo restores files, folders, links, permissions and times", async () => {
  const dir = story();
  const before = contentOf(dir);
  const callId = await applied(dir, COMMAND);
  expect(contentOf(dir)).not.toEqual(before);
  expect(await layers.undo(callId, dir)).toEqual(NOTHING);
  expect(contentOf(dir)).toEqual(before);
  expect(["changed", "touched"].map((name) => statSync(join(dir, name)).mtimeMs)).toEqual([1_600_000_000_000, 1_600_000_000_000]);
  // Repeating it changes nothing more.
  writeFileSync(join(dir, "new-file"), "a person's");
  expect(await layers.undo(callId, dir)).toEqual(NOTHING);
  expect(readFileSync(join(dir, "new-file"), "utf8")).toBe("a person's");
});

test("[LY30] after a kill before any step of undoing, recovery finishes it: all or nothing", async () => {
  const sample = story();
  const before = contentOf(sample);
  await applied(sample, COMMAND);
  const after = contentOf(sample);
  const steps: string[] = [];
  for (let nth = 0; ; nth += 1) {
    const dir = story();
    const callId = await applied(dir, COMMAND);
    const step = undoUntil(dir, callId, nth);
    if (step === undefined) {
      expect(contentOf(dir)).toEqual(before);
      break;
    }
    steps.push(step);
    await layers.recover(dir);
    await layers.sweep(dir, async () => false);
    expect([step, contentOf(dir)]).toEqual([step, step === "prepare" || step === "marker" ? after : before]);
    expect(await layers.undo(callId, dir)).toEqual(NOTHING);
    expect([step, contentOf(dir)]).toEqual([step, before]);
  }
  expect(steps.length).toBeGreaterThan(20);
  expect(steps).toEqual(expect.arrayContaining(["prepare", "marker", "sync", "undone", "clean up"]));
}, 240_000);

test("[LY30] killed again while it recovers", async () => {
  const dir = story();
  const before = contentOf(dir);
  const callId = await applied(dir, COMMAND);
  let kills = 0;
  for (let nth = 3; undoUntil(dir, callId, nth) !== undefined; nth += 4) kills += 1;
  expect(kills).toBeGreaterThan(3);
  expect(contentOf(dir)).toEqual(before);
});

test("[LY23] after a later change nothing is undone, and each path is named with the later command", async () => {
  const dir = project({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
  const first = await applied(dir, "echo 1 > a.txt; echo 1 > b.txt; rm c.txt; mkdir new; echo n > new/n");
  const second = await applied(dir, "echo 2 > b.txt; echo 2 > new/n");
  writeFileSync(join(dir, "a.txt"), "a person's\n");
  writeFileSync(join(dir, "c.txt"), "a person's too\n");
  const state = contentOf(dir);
  const { conflicts } = await layers.undo(first, dir);
  expect(conflicts).toEqual([{ path: "a.txt" }, { path: "b.txt", call: second }, { path: "c.txt" }, { path: "new/n", call: second }]);
  expect(contentOf(dir)).toEqual(state);
});

test("[LY23] commands on the same files are undone one by one, last one first", async () => {
  const dir = project({ "a.txt": "a\n", "b/b.txt": "b\n" });
  const before = contentOf(dir);
  const calls = [
    await applied(dir, "echo 1 > a.txt; mkdir new; echo 1 > new/n; echo 1 > new/m"),
    await applied(dir, "echo 2 >> a.txt; echo 2 > new/n; rm new/m"),
    await applied(dir, "rm a.txt; rm -r new; mv b c"),
  ];
  for (const call of calls.toReversed()) expect(await layers.undo(call, dir)).toEqual(NOTHING);
  expect(contentOf(dir)).toEqual(before);
});

test("[LY9] a person's change between a crash and the recovery of an undo stays", async () => {
  const dir = project({ "a.txt": "a\n", "b.txt": "b\n" });
  const callId = await applied(dir, "echo 1 > a.txt; echo 1 > b.txt");
  // After the marker, before the first file.
  expect(undoUntil(dir, callId, 2)).toMatch(/^0 put/);
  writeFileSync(join(dir, "a.txt"), "a person's\n");
  await layers.recover(dir);
  expect([readFileSync(join(dir, "a.txt"), "utf8"), readFileSync(join(dir, "b.txt"), "utf8")]).toEqual(["a person's\n", "b\n"]);
  const { notes } = await layers.undo(callId, dir);
  expect(notes).toEqual([expect.stringContaining("Somebody changed a.txt while this was being undone")]);
  expect(readFileSync(join(dir, ".dialogs/refused", callId, "a.txt"), "utf8")).toBe("a\n");
});

test("[LY24] git's refs, index and log are undone with the files; objects stay", async () => {
  const dir = repository({ "a.txt": "a\n" });
  const [head, status] = [git(dir, "rev-parse", "HEAD"), git(dir, "status", "--porcelain", "--", "a.txt", "b.txt")];
  const callId = await applied(dir, "echo 1 > a.txt; echo new > b.txt; git add -A; git commit -qm second; git branch other; git tag v1");
  const second = git(dir, "rev-parse", "HEAD").trim();
  expect(await layers.undo(callId, dir)).toEqual(NOTHING);
  expect([
    git(dir, "rev-parse", "HEAD"),
    git(dir, "status", "--porcelain", "--", "a.txt", "b.txt"),
    git(dir, "branch", "--list", "other"),
  ]).toEqual([head, status, ""]);
  expect(git(dir, "log", "-g", "--format=%gs", "HEAD").trim().split("\n")).toHaveLength(1);
  expect(git(dir, "cat-file", "-t", second).trim()).toBe("commit");
  git(dir, "fsck", "--strict");
});

test("[LY24] a repository used since is left alone", async () => {
  const dir = repository({ "a.txt": "a\n" });
  const callId = await applied(dir, "echo 1 > a.txt; git commit -qam second");
  git(dir, "commit", "--quiet", "--allow-empty", "--message=a person's");
  const { conflicts } = await layers.undo(callId, dir);
  expect(conflicts.map(({ path }) => path)).toEqual(expect.arrayContaining([".git/refs/heads/main"]));
  expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("1\n");
});

/** Refreshes the index, as an editor does all the time. */
function refresh(dir: string): void {
  const before = readFileSync(join(dir, ".git/index"));
  utimesSync(join(dir, "a.txt"), 1_700_000_000, 1_700_000_000);
  git(dir, "status");
  expect(readFileSync(join(dir, ".git/index")).equals(before)).toBe(false);
}

test.each(["2", "3", "4"])("[LY38] a refreshed index is no conflict for undo: version %s", async (version) => {
  const dir = repository({ "a.txt": "a\n", "folder/b.txt": "b\n", "folder/bc.txt": "c\n" });
  git(dir, "update-index", "--index-version", version === "4" ? "4" : "2");
  if (version === "3") {
    writeFileSync(join(dir, "later.txt"), "later");
    git(dir, "add", "--intent-to-add", "later.txt");
  }
  const staged = git(dir, "ls-files", "--stage");
  const callId = await applied(dir, "echo 1 > folder/b.txt; echo n > n.txt; git add folder n.txt");
  refresh(dir);
  expect(git(dir, "ls-files", "--stage")).not.toBe(staged);
  expect(await layers.undo(callId, dir)).toEqual(NOTHING);
  expect([git(dir, "ls-files", "--stage"), existsSync(join(dir, "n.txt"))]).toEqual([staged, false]);
});

test("[LY38] an index with other entries is a conflict", async () => {
  const dir = repository({ "a.txt": "a\n", "b.txt": "b\n" });
  const callId = await applied(dir, "echo 1 > b.txt; git add b.txt");
  git(dir, "update-index", "--assume-unchanged", "a.txt");
  expect((await layers.undo(callId, dir)).conflicts).toEqual([{ path: ".git/index" }]);
});

test("[LY38] a refreshed index is no conflict for a layer that waits", async () => {
  const dir = repository({ "a.txt": "a\n", "b.txt": "b\n" });
  const { callId, apply } = await staged(dir, "echo 1 > b.txt; git add b.txt");
  refresh(dir);
  expect((await apply()).conflicts).toEqual([]);
  expect(git(dir, "diff", "--cached", "--name-only")).toBe("b.txt\n");
  refresh(dir);
  expect(await layers.undo(callId, dir)).toEqual(NOTHING);
  expect(git(dir, "status", "--porcelain", "--untracked-files=no")).toBe("");
});

test("[LY38] `git status` in a command changes nothing in git, so a later commit is no conflict", async () => {
  const dir = repository({ "a.txt": "a\n", "b.txt": "b\n" });
  const callId = await applied(dir, "touch -d 2001-01-01 a.txt; echo 1 > b.txt; git status");
  git(dir, "commit", "--quiet", "--allow-empty", "--message=a person's");
  writeFileSync(join(dir, "c.txt"), "c\n");
  git(dir, "add", "c.txt");
  expect(await layers.undo(callId, dir)).toEqual(NOTHING);
  expect([readFileSync(join(dir, "b.txt"), "utf8"), git(dir, "diff", "--cached", "--name-only")]).toEqual(["b\n", "c.txt\n"]);
});

test("[LY39] an undo leaves waiting layers alone: its changes under one are a conflict there, and the rest is applied", async () => {
  const dir = project({ "a.txt": "a\n", "b.txt": "b\n" });
  const first = await applied(dir, "echo 1 > a.txt");
  const [same, other] = [await staged(dir, "echo 2 >> a.txt; echo 2 > c.txt"), await staged(dir, "echo 2 > b.txt")];
  expect(await layers.undo(first, dir)).toEqual(NOTHING);
  expect((await same.apply()).conflicts).toEqual(["a.txt"]);
  expect((await other.apply()).conflicts).toEqual([]);
  expect(["a.txt", "b.txt"].map((name) => readFileSync(join(dir, name), "utf8"))).toEqual(["a\n", "2\n"]);
  expect(existsSync(join(dir, "c.txt"))).toBe(false);
});

test("[LY39] a file changed and restored under a waiting layer counts as changed", async () => {
  const dir = project({ "a.txt": "a\n", "b/b.txt": "b\n" });
  const before = contentOf(dir);
  const waiting = await staged(dir, "echo 2 > a.txt; rm -r b; echo 2 > c.txt");
  const first = await applied(dir, "echo 1 > a.txt; echo 1 > b/b.txt");
  expect(await layers.undo(first, dir)).toEqual(NOTHING);
  expect((await waiting.apply()).conflicts).toEqual(["a.txt", "b"]);
  expect(contentOf(dir)).toEqual(before);
});

test("[LY39] concurrent undo and apply are serialized", async () => {
  const dir = project({ "a.txt": "a\n" });
  const first = await applied(dir, "echo 1 > a.txt");
  const second = await staged(dir, "echo 2 >> a.txt");
  const [undone, again, over] = await Promise.all([layers.undo(first, dir), layers.undo(first, dir), second.apply()]);
  expect([undone, again]).toEqual([NOTHING, NOTHING]);
  expect(over.conflicts).toEqual(["a.txt"]);
  expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("a\n");
});

test("[LY25] a layer that is no longer kept, or was never applied, is not undone", async () => {
  const dir = project({ "a.txt": "a\n" });
  const callId = await applied(dir, "echo 1 > a.txt");
  rmSync(join(dir, ".dialogs/layers", callId, "before"), { recursive: true });
  expect(await layers.undo(callId, dir)).toEqual({ ...NOTHING, isGone: true });
  expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("1\n");
  const { callId: waiting } = await staged(dir, "echo 2 > a.txt");
  expect(await layers.undo(waiting, dir)).toEqual({ ...NOTHING, isGone: true });
  expect(await layers.undo("call-unknown", dir)).toEqual({ ...NOTHING, isGone: true });
});

test("[LY18] undoing a layer that came with a folder takes nothing from elsewhere", async () => {
  const dir = project({ "a.txt": "a\n" });
  const outside = project({ "0": "secret" });
  const layer = join(dir, ".dialogs/layers/call-foreign");
  mkdirSync(layer, { recursive: true });
  symlinkSync(outside, join(layer, "before"));
  mkdirSync(join(layer, "after"));
  const put = { do: "put", path: "b.txt", source: "before/0", ino: "1" };
  writeFileSync(join(layer, "undo.json"), JSON.stringify({ version: 1, conflicts: [], bytes: 0, operations: [put] }));
  writeFileSync(join(layer, "undoing"), "");
  await expect(layers.recover(dir)).rejects.toThrow(/none of ours/);
  expect([existsSync(join(dir, "b.txt")), readdirSync(outside)]).toEqual([false, ["0"]]);
});
