// Undoing is killed before each of its steps, for real, and finished by another process.
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

/** Undoes it in a process of its own, which is killed before step `nth`. Gives the step, or undefined where it came to the end. */
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

test("[LY29] undo puts everything back as it was: files, folders, links, permissions and times", async () => {
  const dir = story();
  const before = contentOf(dir);
  const callId = await applied(dir, COMMAND);
  expect(contentOf(dir)).not.toEqual(before);
  expect(await layers.undo(callId, dir)).toEqual(NOTHING);
  expect(contentOf(dir)).toEqual(before);
  expect(["changed", "touched"].map((name) => statSync(join(dir, name)).mtimeMs)).toEqual([1_600_000_000_000, 1_600_000_000_000]);
  // Asked again, it changes nothing more.
  writeFileSync(join(dir, "new-file"), "a person's");
  expect(await layers.undo(callId, dir)).toEqual(NOTHING);
  expect(readFileSync(join(dir, "new-file"), "utf8")).toBe("a person's");
});

test("[LY30] killed before any step of undoing, it is finished by recovery: all of it, or none", async () => {
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
}, 120_000);

test("[LY23] where something changed since, nothing is undone, and each path is named with the later command", async () => {
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

test("[LY23] commands on the same files are undone one after the other, the last one first", async () => {
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

test("[LY9] what a person changed between a crash and recovery of an undo stays", async () => {
  const dir = project({ "a.txt": "a\n", "b.txt": "b\n" });
  const callId = await applied(dir, "echo 1 > a.txt; echo 1 > b.txt");
  // After the marker, and before the first file.
  expect(undoUntil(dir, callId, 2)).toMatch(/^0 put/);
  writeFileSync(join(dir, "a.txt"), "a person's\n");
  await layers.recover(dir);
  expect([readFileSync(join(dir, "a.txt"), "utf8"), readFileSync(join(dir, "b.txt"), "utf8")]).toEqual(["a person's\n", "b\n"]);
  const { notes } = await layers.undo(callId, dir);
  expect(notes).toEqual([expect.stringContaining("Somebody changed a.txt while this was being undone")]);
  expect(readFileSync(join(dir, ".dialogs/refused", callId, "a.txt"), "utf8")).toBe("a\n");
});

test("[LY24] what git did is undone with the files: refs, index and log; its objects stay", async () => {
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

test("[LY24] a repository that was used since is left alone", async () => {
  const dir = repository({ "a.txt": "a\n" });
  const callId = await applied(dir, "echo 1 > a.txt; git commit -qam second");
  git(dir, "commit", "--quiet", "--allow-empty", "--message=a person's");
  const { conflicts } = await layers.undo(callId, dir);
  expect(conflicts.map(({ path }) => path)).toEqual(expect.arrayContaining([".git/refs/heads/main"]));
  expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("1\n");
});

test("[LY25] what is not kept any more, or was never applied, is not undone", async () => {
  const dir = project({ "a.txt": "a\n" });
  const callId = await applied(dir, "echo 1 > a.txt");
  rmSync(join(dir, ".dialogs/layers", callId, "before"), { recursive: true });
  expect(await layers.undo(callId, dir)).toEqual({ ...NOTHING, isGone: true });
  expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("1\n");
  const { callId: waiting } = await staged(dir, "echo 2 > a.txt");
  expect(await layers.undo(waiting, dir)).toEqual({ ...NOTHING, isGone: true });
  expect(await layers.undo("call-unknown", dir)).toEqual({ ...NOTHING, isGone: true });
});

test("[LY18] a layer that came with a folder takes nothing from elsewhere when it is undone", async () => {
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
