// What fresh eyes found: folders that bring layers along, and commands that hide a loss in git.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LayerFolder } from "./layer-folder.ts";
import { layers } from "./layers.ts";
import { git, project, repository, stage, staged } from "./testing.ts";

const nobodyIsOpen = async () => false;

test.each([".dialogs", ".dialogs/layers"])("[LY18] %s as a link: nothing behind it is taken for a layer", async (link) => {
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

test("[LY6] permissions are not given by a link, nor to a file that has another name", async () => {
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
])("[LY5] %s is told", async (command, fact) => {
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

test("[LY11] an index that would write a hook is not applied", async () => {
  const dir = repository({ "a.txt": "a" });
  const id = git(dir, "hash-object", "-w", "a.txt").trim();
  // Git itself refuses such a name, so it is written as another and changed in the file.
  const command = `git update-index --add --cacheinfo 100755,${id},Xgit/hooks/post-checkout; perl -0pi -e 's/Xgit/.git/; s/.{20}$//s; use Digest::SHA; $_ .= Digest::SHA::sha1($_)' .git/index`;
  const { callId, output } = await stage(dir, command);
  const effects = typeof output === "string" ? undefined : output.effects;
  expect(typeof output === "string" ? output : effects?.refused.join()).toContain(".git/index");
  if (typeof output !== "string") await layers.apply(callId, dir);
  expect(git(dir, "ls-files")).toBe("a.txt\n");
});

test("[LY4] what moved is not the agent's own: removing it in a second command loses it", async () => {
  const dir = project({ "notes.txt": "a week's work" });
  const first = await staged(dir, "cp notes.txt n2; rm notes.txt");
  await first.apply();
  const { effects } = await staged(dir, "rm n2");
  expect(effects.files).toMatchObject([{ path: "n2", kind: "deleted", isLost: true }]);
});

test("[LY3] losses and deletions count however many other files there are", async () => {
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
