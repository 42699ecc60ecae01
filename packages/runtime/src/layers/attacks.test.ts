// Regressions: folders that bring layers along, and commands that hide a loss in git.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { LayerFolder } from "./layer-folder.ts";
import { layers } from "./layers.ts";
import { git, project, repository, stage, staged } from "./testing.ts";
import { packed, unpacked } from "./touched-paths.ts";
import { toolNamed } from "../tools/testing.ts";

const nobodyIsOpen = async () => false;

test.each([".dialogs", ".dialogs/layers"])("[LY18] if %s is a link, nothing below its target is taken for a layer", async (link) => {
  const home = mkdtempSync(join(tmpdir(), "colloquy-home-"));
  const name = "0".repeat(32);
  for (const folder of [`${name}`, `layers/${name}`]) {
    mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, folder, "letter.txt"), "mine");
  }
  const dir = project({ "a.txt": "a" });
  if (link !== ".dialogs") mkdirSync(join(dir, ".dialogs"));
  symlinkSync(home, join(dir, link));
  await layers.sweep(dir, nobodyIsOpen);
  await layers.recover(dir);
  expect(() => new LayerFolder(dir, name).remove()).toThrow("is no folder");
  expect(readFileSync(join(home, name, "letter.txt"), "utf8")).toBe("mine");
  expect(readFileSync(join(home, "layers", name, "letter.txt"), "utf8")).toBe("mine");
});

test.each([
  ["takes a file from outside", { do: "put", path: "stolen.txt", source: "../../../../id_rsa", ino: "1" }],
  ["takes a file by a way around", { do: "put", path: "stolen.txt", source: "upper/../../../../../id_rsa", ino: "1" }],
  ["writes outside", { do: "put", path: "../out.txt", source: "upper/x", ino: "1" }],
  ["makes a hook", { do: "put", path: ".git/hooks/post-checkout", source: "upper/x", ino: "1" }],
  ["changes the settings", { do: "put", path: "colloquy.yaml", source: "upper/x", ino: "1" }],
  ["writes a hidden file", { do: "put", path: ".env", source: "upper/x", ino: "1" }],
])("[LY18] a layer that came with the folder and %s is not applied", async (_, operation) => {
  const dir = repository({ "a.txt": "a" });
  const layer = new LayerFolder(dir, "1".repeat(32));
  layer.make();
  writeFileSync(join(dir, "..", "id_rsa"), "key");
  writeFileSync(join(layer.upper, "x"), "x");
  writeFileSync(layer.manifest, JSON.stringify({ version: 1, conflicts: [], bytes: 1, operations: [operation] }));
  writeFileSync(layer.applying, "");
  await expect(layers.recover(dir)).rejects.toThrow("none of ours");
  expect(existsSync(join(dir, "stolen.txt"))).toBe(false);
  expect(existsSync(join(dir, ".git/hooks/post-checkout"))).toBe(false);
  expect(existsSync(join(dir, "colloquy.yaml"))).toBe(false);
  expect(existsSync(join(dir, "../out.txt"))).toBe(false);
});

test.each([
  ["waits with one half", "mkdir x/objects x/refs; touch x/objects/k x/refs/k", ["HEAD", "config"]],
  ["waits with the other half", "echo ref: refs/heads/main > x/HEAD", ["objects/k", "refs/k"]],
])("[LY36] a layer that %s of a git folder is not applied once the project has the rest", async (_, command, rest) => {
  const dir = project({ "x/readme": "r" });
  const { apply } = await staged(dir, command);
  for (const name of rest) {
    mkdirSync(dirname(join(dir, "x", name)), { recursive: true });
    writeFileSync(join(dir, "x", name), "ref: refs/heads/main\n");
  }
  const { conflicts } = await apply();
  expect(conflicts.length).toBeGreaterThan(0);
  expect(existsSync(join(dir, "x/HEAD")) && existsSync(join(dir, "x/objects")) && existsSync(join(dir, "x/refs"))).toBe(false);
});

test("[LY36] undo does not complete a git folder", async () => {
  const dir = project({ "x/objects/k": "k", "x/refs/k": "k" });
  const { callId, apply } = await staged(dir, "rm -r x/objects x/refs");
  await apply();
  writeFileSync(join(dir, "x/HEAD"), "ref: refs/heads/main\n");
  const { conflicts } = await layers.undo(callId, dir);
  expect(conflicts.length).toBeGreaterThan(0);
  expect(existsSync(join(dir, "x/objects"))).toBe(false);
});

test("[LY6] permissions are not changed through a link or a hard link", async () => {
  const dir = project({ "a.txt": "a" });
  const outside = mkdtempSync(join(tmpdir(), "colloquy-store-"));
  writeFileSync(join(outside, "kept"), "x", { mode: 0o600 });
  const { apply } = await staged(dir, `ln -s ${outside}/kept link; chmod 777 a.txt`);
  await apply();
  expect(statSync(join(outside, "kept")).mode & 0o777).toBe(0o600);
});

test.each([
  ["git checkout -q -B main HEAD~1", /moved away/],
  ["git update-ref refs/heads/main HEAD~1", /moved away/],
  ["GIT_REFLOG_ACTION=x git reset -q --hard HEAD~1", /moved away/],
  ["git tag -f v1 HEAD~2", /tag v1 moved/],
  ["git stash drop -q; echo junk >> a.txt; git stash -q", /stash/],
  ["find .git/objects -type f | while read f; do chmod +w $f; : > $f; done", /objects? rewritten/],
])("[LY5] %s is reported", async (command, fact) => {
  const dir = repository({ "a.txt": "a" });
  writeFileSync(join(dir, "a.txt"), "b");
  git(dir, "commit", "-qam", "second");
  git(dir, "tag", "v1");
  writeFileSync(join(dir, "a.txt"), "stashed");
  git(dir, "stash", "-q");
  writeFileSync(join(dir, "a.txt"), "c");
  git(dir, "commit", "-qam", "third");
  const { effects } = await staged(dir, command);
  expect(effects.git.join("\n")).toMatch(fact);
});

test.each([
  ["git notes add -m n", "git update-ref -d refs/notes/commits", /^reference refs\/notes\/commits deleted/],
  [
    "git update-ref refs/remotes/origin/x $(git commit-tree -m w HEAD^{tree})",
    "git branch -q -dr origin/x",
    /^reference refs\/remotes\/origin\/x deleted/,
  ],
  [
    "git update-ref refs/wip/x $(git commit-tree -m w HEAD^{tree}); git pack-refs --all",
    "git update-ref -d refs/wip/x",
    /^reference refs\/wip\/x deleted/,
  ],
  ["true", "git update-ref refs/heads/--exec=x HEAD", /^reference with an odd name: refs\/heads\/--exec=x$/],
  ["true", "chmod 000 .git/objects", /^\.git\/objects closed to its owner$/],
  ["true", "chmod 400 .git/HEAD", /^\.git\/HEAD closed to its owner$/],
  ["git config extensions.refstorage reftable; mkdir .git/reftable; echo a > .git/reftable/t", "echo b > .git/reftable/t", /\(reftable\)$/],
])("[LY5] after %s, the effects of %s are reported", async (before, command, fact) => {
  const dir = repository({ "a.txt": "a" });
  execFileSync("/bin/sh", ["-c", before], { cwd: dir });
  const { effects } = await staged(dir, command);
  expect(effects.git).toEqual([expect.stringMatching(fact)]);
});

test("[LY5] deleting a remote branch whose commit another branch has is not reported", async () => {
  const dir = repository({ "a.txt": "a" });
  git(dir, "update-ref", "refs/remotes/origin/x", "HEAD");
  const { effects } = await staged(dir, "git branch -q -dr origin/x");
  expect(effects.git).toEqual([]);
});

test.each(["--assume-unchanged", "--skip-worktree"])("[LY40] a file that is excluded from git status is reported (%s)", async (flag) => {
  const dir = repository({ "a.txt": "a", "b.txt": "b" });
  git(dir, "update-index", flag, "b.txt");
  const { effects } = await staged(dir, `git update-index ${flag} a.txt; echo evil > a.txt; echo more >> b.txt`);
  expect(effects.git).toEqual(["git no longer compares a.txt (assume-unchanged or skip-worktree)"]);
  const { effects: shown } = await staged(dir, `git update-index ${flag.replace("--", "--no-")} b.txt`);
  expect(shown.git).toEqual([]);
});

test.each([
  ["mkdir .git/ORIG_HEAD", ".git/ORIG_HEAD"],
  ["mkdir .git/index.lock", ".git/index.lock"],
  ["echo x > .git/rebase-merge", ".git/rebase-merge"],
])("[LY11] %s would stop git, and is left out", async (command, path) => {
  const dir = repository({ "a.txt": "a" });
  const { output } = await stage(dir, command);
  expect(output).toContain(`Tools may not make or change ${path}.`);
});

test("[H28] nor what npx would start in a workspace's folder", async () => {
  const dir = project({ "packages/app/package.json": "{}" });
  const { effects, apply } = await staged(dir, "mkdir -p m/.bin; echo x | tee m/.bin/colloquy m/.bin/tsc; mv m packages/app/node_modules");
  expect(effects.refused).toEqual(["packages/app/node_modules/.bin/colloquy"]);
  await apply();
  expect(existsSync(join(dir, "packages/app/node_modules/.bin/tsc"))).toBe(true);
  expect(existsSync(join(dir, "packages/app/node_modules/.bin/colloquy"))).toBe(false);
});

test("[LY11] an index that would write a hook is not applied", async () => {
  const dir = repository({ "a.txt": "a" });
  const id = git(dir, "hash-object", "-w", "a.txt").trim();
  // Git refuses such a name, so the test writes another one and patches the file.
  const command = `git update-index --add --cacheinfo 100755,${id},Xgit/hooks/post-checkout; perl -0pi -e 's/Xgit/.git/; s/.{20}$//s; use Digest::SHA; $_ .= Digest::SHA::sha1($_)' .git/index`;
  const { callId, output } = await stage(dir, command);
  const effects = typeof output === "string" ? undefined : output.effects;
  expect(typeof output === "string" ? output : effects?.refused.join()).toContain(".git/index");
  if (typeof output !== "string") await layers.apply(callId, dir);
  expect(git(dir, "ls-files")).toBe("a.txt\n");
});

test("[LY4] a moved file doesn't become the agent's: a second command that removes it loses it", async () => {
  const dir = project({ "notes.txt": "a week's work" });
  const first = await staged(dir, "cp notes.txt n2; rm notes.txt");
  await first.apply();
  const { effects } = await staged(dir, "rm n2");
  expect(effects.files).toMatchObject([{ path: "n2", kind: "deleted", isLost: true }]);
});

test("[LY3] losses and deletions are reported however many other files there are", async () => {
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, nth) => [`src/${nth}.ts`, `${nth}`]));
  const built = Object.fromEntries(Array.from({ length: 230 }, (_, nth) => [`dist/${nth}.js`, `${nth}`]));
  const dir = repository({ ...files, ".gitignore": "dist/\n" });
  for (const [path, text] of Object.entries(built)) {
    mkdirSync(join(dir, "dist"), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  const { effects } = await staged(dir, "rm dist/*.js; for i in 1 2 3 4 5 6 7 8 9; do rm src/$i.ts; done");
  expect(effects.files.filter(({ path }) => path.startsWith("src/"))).toHaveLength(9);
});

test("[LY41] a waiting layer changes no program that a server or git has started to run meanwhile", async () => {
  const dir = repository({ "tools/server.js": "1", "a.txt": "a", "hooks/readme": "r" });
  let programs: readonly string[] = [];
  const shell = { programs: () => programs };
  const first = await stage(dir, "echo evil > tools/server.js; echo b > a.txt", { shell });
  const second = await stage(dir, "echo evil > hooks/pre-commit", { shell });
  const third = await stage(dir, "echo c > b.txt; mkdir later", { shell });
  const folder = await stage(dir, "mkdir -p fresh/deep && echo evil > fresh/deep/run.js", { shell });
  const link = await stage(dir, "mkdir real && echo evil > real/run.js && ln -s real later", { shell });
  const { staged: store } = toolNamed("run_command", shell);
  programs = ["tools/server.js", "fresh/deep/run.js", "later/run.js"];
  git(dir, "config", "core.hooksPath", "hooks");
  expect(await store?.apply(first.callId, dir)).toEqual({ conflicts: ["tools/server.js"], notes: [] });
  expect(await store?.apply(second.callId, dir)).toEqual({ conflicts: ["hooks/pre-commit"], notes: [] });
  expect(await store?.apply(folder.callId, dir)).toEqual({ conflicts: ["fresh/deep/run.js"], notes: [] });
  expect(await store?.apply(link.callId, dir)).toEqual({ conflicts: ["later"], notes: [] });
  expect(await store?.apply(third.callId, dir)).toEqual({ conflicts: [], notes: [] });
  expect([readFileSync(join(dir, "tools/server.js"), "utf8"), readFileSync(join(dir, "a.txt"), "utf8")]).toEqual(["1", "a"]);
  expect([existsSync(join(dir, "hooks/pre-commit")), existsSync(join(dir, "b.txt"))]).toEqual([false, true]);
});

test("[LY41] [B26] a waiting layer is not applied while it is unknown what git would run", async () => {
  const dir = repository({ "a.txt": "a" });
  const { callId } = await stage(dir, "echo b > a.txt");
  const { staged: store } = toolNamed("run_command");
  const config = join(dir, ".git/config");
  const before = readFileSync(config);
  rmSync(config);
  execFileSync("mkfifo", [config]);
  expect(await store?.apply(callId, dir)).toEqual({ conflicts: [".git"], notes: [] });
  rmSync(config);
  writeFileSync(config, before);
  expect(await store?.apply(callId, dir)).toEqual({ conflicts: [], notes: [] });
  expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("b\n");
});

test("[ST18] paths cross between threads in parts, and arrive complete", async () => {
  const many = Array.from({ length: 12_001 }, (_, nth) => `src/${nth}`);
  for (const touched of [
    { changed: many, retimed: ["x"] },
    { changed: [], retimed: many.slice(0, 5_000) },
  ]) {
    const parts = packed(touched);
    expect(parts?.changed.length).toBe(Math.ceil(touched.changed.length / 5_000));
    let turns = 0;
    const count = () => void ((turns += 1), (next = setImmediate(count)));
    let next = setImmediate(count);
    expect(await unpacked(parts)).toEqual(touched);
    clearImmediate(next);
    expect(turns).toBe(touched.changed.length > 0 ? 2 : 0);
  }
});
