import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sandboxStatus } from "../tools/shell/sandbox.ts";
import { layers } from "./layers.ts";
import { contentOf, git, project, repository, stage, staged } from "./testing.ts";

test("[LY1] a command writes to its layer; the project changes when the layer is applied", async () => {
  const dir = project({ "src/a.txt": "one\n", "src/b.txt": "two\n", "old/x": "x" });
  const before = contentOf(dir);
  const { effects, apply, text } = await staged(
    dir,
    "echo more >> src/a.txt; rm src/b.txt; mkdir new; echo n > new/n; rm -rf old; cat src/a.txt",
  );
  expect(text).toBe("Exit code 0.\none\nmore");
  expect(contentOf(dir)).toEqual(before);
  expect(effects.counts).toMatchObject({ created: 1, changed: 1, deleted: 2 });
  expect(await apply()).toEqual({ conflicts: [], notes: [] });
  expect(contentOf(dir)).toEqual(["new/ 755", "new/n 644 n\n", "src/ 755", "src/a.txt 644 one\nmore\n"]);
});

test("[LY2] a command that changes nothing leaves nothing behind", async () => {
  const dir = project({ "a.txt": "one\n" });
  expect(await stage(dir, "cat a.txt; ls; echo x > /tmp/x")).toMatchObject({ output: "Exit code 0.\none\na.txt" });
  expect(await stage(dir, "echo x > new; rm new")).toMatchObject({ output: "Exit code 0.\n(no output)" });
  expect(readdirSync(dir)).toEqual(["a.txt"]);
});

test("[LY3] every kind of change is reported, and applied as made", async () => {
  const dir = project({
    "file-to-folder": "f",
    "folder-to-file/a": "a",
    "link-to-file": "",
    emptied: "something",
    "replaced/old": "old",
    "replaced/same": "same",
    "moved/deep/x": "content of x",
    script: "#!/bin/sh",
    untouched: "u",
  });
  rmSync(join(dir, "link-to-file"));
  symlinkSync("untouched", join(dir, "link-to-file"));
  const { effects, apply } = await staged(
    dir,
    [
      "rm file-to-folder; mkdir file-to-folder; echo in > file-to-folder/in",
      "rm -r folder-to-file; echo now > folder-to-file",
      "rm link-to-file; echo file > link-to-file; ln -s untouched new-link",
      ": > emptied",
      "rm -r replaced; mkdir replaced; printf same > replaced/same; echo new > replaced/new",
      "mv moved moved2; chmod 755 script; touch -d 2020-01-01 untouched; mkdir -p empty/folder",
    ].join("\n"),
  );
  expect(
    effects.files.map(({ path, kind, from, files }) => [
      kind,
      path,
      ...(from === undefined ? [] : [from]),
      ...(files === undefined ? [] : [files]),
    ]),
  ).toEqual([
    ["deleted", "folder-to-file", 1],
    ["deleted", "file-to-folder"],
    ["deleted", "folder-to-file/a"],
    ["deleted", "replaced/old"],
    ["emptied", "emptied"],
    ["moved", "moved2", "moved", 1],
    ["changed", "link-to-file"],
    ["mode", "script"],
    ["created", "empty", 0],
    ["created", "file-to-folder/in"],
    ["created", "folder-to-file"],
    ["created", "new-link"],
    ["created", "replaced/new"],
  ]);
  expect(effects.counts).toEqual({ created: 4, changed: 1, emptied: 1, deleted: 3, moved: 1, lost: 4 });
  await apply();
  expect(contentOf(dir)).toEqual([
    "emptied 644 ",
    "empty/ 755",
    "empty/folder/ 755",
    "file-to-folder/ 755",
    "file-to-folder/in 644 in\n",
    "folder-to-file 644 now\n",
    "link-to-file 644 file\n",
    "moved2/ 755",
    "moved2/deep/ 755",
    "moved2/deep/x 644 content of x",
    "new-link -> untouched",
    "replaced/ 755",
    "replaced/new 644 new\n",
    "replaced/same 644 same",
    "script 755 #!/bin/sh",
    "untouched 644 u",
  ]);
  expect(statSync(join(dir, "untouched")).mtime.getUTCFullYear()).toBe(2020);
});

test("[LY3] for very many files the counts are exact and the list is short", async () => {
  const dir = project({ keep: "k" });
  const many = await staged(dir, "mkdir many; cd many; seq 1 3000 | xargs touch; cd ..; seq 1 400 | sed 's/^/f/' | xargs touch; rm keep");
  expect(many.effects.counts).toMatchObject({ created: 3400, deleted: 1, lost: 1 });
  expect(many.effects.files).toHaveLength(402);
  expect(many.effects.files[0]).toMatchObject({ path: "keep", kind: "deleted", isLost: true });
  expect(await many.apply()).toMatchObject({ conflicts: [] });
  expect(readdirSync(join(dir, "many"))).toHaveLength(3000);
  const gone = await staged(dir, "rm -rf many f*");
  expect(gone.effects.counts).toMatchObject({ deleted: 3400, lost: 0 });
  expect(gone.effects.files.find(({ path }) => path === "many")).toEqual({ path: "many", kind: "deleted", files: 3000, bytesBefore: 0 });
});

test("[LY3] names of every kind", async () => {
  const names = ["a b", "-rf", "new\nline", "quote'\"", "comma,colon:back\\slash", "ünï", "中文", "*", "$(x)"];
  const dir = project(Object.fromEntries(names.map((name) => [`old ${name}`, "x"])));
  const odd = join(dir, "odd, name:with\\all");
  mkdirSync(odd);
  for (const name of names) writeFileSync(join(odd, name), "1");
  const { apply, effects } = await staged(odd, `for f in *; do echo 2 > "./$f"; done; mkdir 'd,:\\'; touch 'd,:\\/x'`);
  expect(effects.counts).toMatchObject({ changed: names.length, created: 1 });
  await apply();
  expect(names.map((name) => readFileSync(join(odd, name), "utf8"))).toEqual(names.map(() => "2\n"));
  expect(existsSync(join(odd, "d,:\\/x"))).toBe(true);
});

test("[LY4] content in git, moved files and agents' files are not lost; other work is", async () => {
  const dir = repository({ "tracked.txt": "t\n", "edited.txt": "first\n", ".gitignore": "node_modules/\n*.log\nsecret/\n" });
  for (const [path, text] of [
    ["edited.txt", "a person's work\n"],
    ["notes.txt", "notes\n"],
    ["node_modules/p/index.js", "p"],
    ["run.log", "log"],
    ["secret/plan.txt", "plan"],
    ["renamed.txt", "renamed\n"],
  ] as const) {
    mkdirSync(join(dir, path, ".."), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  const lost = async (command: string) => {
    const { effects } = await staged(dir, command);
    return effects.files.filter(({ isLost, files }) => isLost && files === undefined).map(({ path }) => path);
  };
  expect(await lost("rm tracked.txt")).toEqual([]);
  expect(await lost("rm notes.txt")).toEqual(["notes.txt"]);
  expect(await lost(": > notes.txt")).toEqual(["notes.txt"]);
  expect(await lost("rm edited.txt")).toEqual(["edited.txt"]);
  expect(await lost("echo other > edited.txt")).toEqual([]);
  expect(await lost("git checkout -q edited.txt")).toEqual(["edited.txt"]);
  expect(await lost("git show HEAD:edited.txt > edited.txt")).toEqual(["edited.txt"]);
  expect(await lost("git reset -q --hard")).toEqual(["edited.txt"]);
  expect(await lost("git stash -q")).toEqual([]);
  expect(await lost("git stash -q -u; git status --short")).toEqual([]);
  expect(await lost("git commit -qam work && rm edited.txt")).toEqual([]);
  expect(await lost("git clean -fdxq")).toEqual(["notes.txt", "renamed.txt", "secret/plan.txt"]);
  expect(await lost("rm -rf node_modules run.log")).toEqual([]);
  expect(await lost("echo secret/ >> .gitignore; rm -rf secret")).toEqual(["secret/plan.txt"]);
  expect(await lost("mv renamed.txt elsewhere.txt")).toEqual([]);
  const mine = await staged(dir, "echo mine > mine.txt");
  await mine.apply();
  expect(await lost("rm mine.txt")).toEqual([]);
  expect(await lost("rm -rf *")).toEqual(["edited.txt", "notes.txt", "renamed.txt", "secret/plan.txt"]);
});

test("[LY4] outside a repository, deleted files are lost", async () => {
  const dir = project({ "a/b": "b", "a/empty": "", "c.txt": "c" });
  const { effects } = await staged(dir, "rm -rf a; mv c.txt d.txt");
  expect(effects.files).toEqual([
    { path: "a", kind: "deleted", files: 2, bytesBefore: 1, isLost: true },
    { path: "a/b", kind: "deleted", bytesBefore: 1, isLost: true },
    { path: "d.txt", kind: "moved", from: "c.txt", bytes: 1 },
  ]);
  expect(effects.counts).toEqual({ created: 0, changed: 0, emptied: 0, deleted: 2, moved: 1, lost: 1 });
});

test("[LY5] branches, tags, stashes, logs and objects that git loses are reported", async () => {
  const dir = repository({ "a.txt": "1\n" });
  writeFileSync(join(dir, "a.txt"), "2\n");
  git(dir, "commit", "--quiet", "--all", "--message=second");
  git(dir, "branch", "side");
  git(dir, "tag", "v1");
  writeFileSync(join(dir, "a.txt"), "3\n");
  git(dir, "stash");
  const facts = async (command: string) => (await staged(dir, command)).effects.git;
  expect(await facts("git branch -D side")).toEqual([expect.stringMatching(/^branch side deleted \(was [0-9a-f]{8}\)$/)]);
  expect(await facts("git tag -d v1")).toEqual([expect.stringMatching(/^tag v1 deleted/)]);
  expect(await facts("git stash drop")).toEqual(["1 stash dropped"]);
  expect(await facts("git stash clear; git reflog expire --expire=now --all; git gc -q --prune=now")).toEqual(
    expect.arrayContaining(["1 stash dropped", "log of HEAD shortened", expect.stringMatching(/^\d+ objects deleted$/)]),
  );
  expect(await facts("git reset -q --hard HEAD~1")).toEqual([]);
  git(dir, "branch", "-D", "side");
  git(dir, "tag", "-d", "v1");
  git(dir, "stash", "drop");
  expect(await facts("git reset -q --hard HEAD~1")).toEqual([
    expect.stringMatching(/^reset from [0-9a-f]{8} to [0-9a-f]{8} leaves commits behind$/),
  ]);
  expect(await facts("echo 4 > a.txt; git commit -qam third; git gc -q")).toEqual([]);
});

test("[LY6] git works on a layer: commit, mv, checkout, stash, merge, rebase, gc", async () => {
  const dir = repository({ "src/a.txt": "1\n2\n3\n", "src/deep/b.txt": "b\n" });
  const run = async (command: string) => {
    const { text, apply } = await staged(dir, command);
    expect(text).toMatch(/^Exit code 0/);
    expect(await apply()).toEqual({ conflicts: [], notes: [] });
    expect(git(dir, "fsck", "--no-dangling")).toBe("");
  };
  await run("git mv src lib && git commit -qm move");
  await run("git checkout -qb side && echo side > side.txt && git add -A && git commit -qm side");
  await run("git checkout -q main && echo 4 >> lib/a.txt && git commit -qam main");
  await run("git merge -q side -m merged");
  await run("git checkout -qb third HEAD~1 && echo x > x.txt && git add x.txt && git commit -qm x && git rebase -q main");
  await run("echo dirty >> lib/a.txt && git stash -q && git stash pop -q");
  await run("git commit -qam dirty && git gc -q");
  expect(git(dir, "status", "--short", "--", ".", ":!.dialogs")).toBe("");
  expect(git(dir, "log", "--format=%s", "--first-parent")).toBe("dirty\nx\nmerged\nmain\nmove\nfirst\n");
});

test("[LY6] a package is installed on a layer", async () => {
  const dir = project({
    "package.json": JSON.stringify({ name: "app", version: "1.0.0", dependencies: { lib: "file:./lib" } }),
    "lib/package.json": JSON.stringify({ name: "lib", version: "1.0.0", bin: "./cli.js" }),
    "lib/cli.js": "#!/usr/bin/env node\nconsole.log('hello');\n",
  });
  const { text, apply, effects } = await staged(dir, "npm install --offline --no-audit --no-fund 2>&1 | tail -3; npx --offline lib");
  expect(text).toMatch(/^Exit code 0[\s\S]*hello$/);
  expect(effects.files.map(({ path }) => path)).toEqual(expect.arrayContaining(["node_modules/.package-lock.json", "package-lock.json"]));
  await apply();
  expect(lstatSync(join(dir, "node_modules/lib")).isSymbolicLink()).toBe(true);
});

test("[LY6] setuid bits, pipes and sockets are left out; hard links are separated", async () => {
  const dir = project({ "one.txt": "shared\n", tool: "t" });
  linkSync(join(dir, "one.txt"), join(dir, "two.txt"));
  const command =
    "echo more >> one.txt; chmod 6755 tool; mkfifo pipe; mkdir n; cp tool n/tool; chmod 4755 n/tool; python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('n/s')\"; ln one.txt three.txt";
  const { apply, effects } = await staged(dir, command);
  expect(effects.refused).toEqual(["n/s", "pipe"]);
  await apply();
  expect(contentOf(dir)).toEqual([
    "n/ 755",
    "n/tool 755 t",
    "one.txt 644 shared\nmore\n",
    "three.txt 644 shared\nmore\n",
    "tool 755 t",
    "two.txt 644 shared\n",
  ]);
});

test("[LY8] after a concurrent change nothing is applied, and the path is named", async () => {
  const dir = project({ "a.txt": "a", "b.txt": "b", "gone/x": "x", "d/e": "e" });
  const conflict = async (command: string, change: () => void) => {
    const { apply, callId } = await staged(dir, command);
    change();
    const before = contentOf(dir);
    const { conflicts } = await apply();
    expect(contentOf(dir)).toEqual(before);
    await layers.discard(callId, dir);
    return conflicts;
  };
  expect(await conflict("echo 1 > a.txt; echo 1 > b.txt", () => writeFileSync(join(dir, "a.txt"), "person"))).toEqual(["a.txt"]);
  expect(await conflict("rm a.txt", () => writeFileSync(join(dir, "a.txt"), "person2"))).toEqual(["a.txt"]);
  expect(await conflict("rm -rf gone", () => writeFileSync(join(dir, "gone/new"), "person"))).toEqual(["gone"]);
  expect(await conflict("echo 1 > new.txt", () => writeFileSync(join(dir, "new.txt"), "person"))).toEqual(["new.txt"]);
  expect(await conflict("echo 1 > a.txt", () => rmSync(join(dir, "a.txt")))).toEqual(["a.txt"]);
  expect(await conflict("echo 1 > b.txt", () => chmodSync(join(dir, "b.txt"), 0o600))).toEqual(["b.txt"]);
  expect(await conflict("echo 1 > d/e", () => (renameSync(join(dir, "d"), join(dir, "d2")), symlinkSync("d2", join(dir, "d"))))).toEqual([
    "d/e",
  ]);
  expect(await conflict("echo 1 > b.txt; mkdir n", () => mkdirSync(join(dir, "n")))).toEqual(["n"]);
});
test("[LY8] a change while the command ran counts", async () => {
  const dir = project({ "a.txt": "a" });
  const callId = "side-by-side";
  const running = staged(
    dir,
    "touch started; while [ ! -e /proc/self/fd/99 ] && ! grep -q person a.txt; do read -t 0.05 < <(:); done; echo command > a.txt",
    { callId },
  );
  await expect.poll(() => existsSync(join(dir, ".dialogs/layers", callId, "upper/started"))).toBe(true);
  writeFileSync(join(dir, "a.txt"), "person");
  const { apply } = await running;
  expect(await apply()).toMatchObject({ conflicts: ["a.txt"] });
  expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("person");
});

test("[LY10] several layers wait, and each is applied or discarded separately", async () => {
  const dir = project({ "a.txt": "a" });
  const [one, two, three] = [
    await staged(dir, "echo 1 > one"),
    await staged(dir, "echo 2 > two"),
    await staged(dir, "echo 3 > three; rm a.txt"),
  ];
  await layers.discard(two.callId, dir);
  await layers.discard(two.callId, dir);
  await layers.sweep(dir, async (callId) => callId === one.callId || callId === three.callId);
  await layers.recover(dir);
  expect(await three.apply()).toMatchObject({ conflicts: [] });
  expect(await three.apply()).toMatchObject({ conflicts: [] });
  expect(await one.apply()).toMatchObject({ conflicts: [] });
  await expect(two.apply()).rejects.toThrow("The command's layer is gone");
  expect(readdirSync(dir).toSorted()).toEqual([".dialogs", "one", "three"]);
  const left = await staged(dir, "echo 4 > four");
  await layers.sweep(dir, async () => false);
  expect(readdirSync(join(dir, ".dialogs/layers")).toSorted()).toEqual([one.callId, three.callId].toSorted());
  await expect(left.apply()).rejects.toThrow();
});

test("[LY11] git folders, hidden and protected names are never created, changed or removed", async () => {
  const dir = repository({
    "src/a.txt": "a\n",
    "vendor/lib/HEAD": "ref: refs/heads/main\n",
    "vendor/lib/refs/x": "",
    "vendor/lib/objects/x": "",
  });
  const before = contentOf(dir);
  const attempts = [
    "git init -q sub",
    "git init -q --bare bare.x",
    "mkdir -p b/objects b/refs; echo 'ref: refs/heads/main' > b/HEAD",
    "mkdir c; echo 'gitdir: ../.git' > c/.git; mkdir -p c/.GIT",
    "rm -rf vendor/lib",
    "echo x > vendor/lib/config; rm vendor/lib/HEAD",
    "mv vendor/lib moved",
    "mkdir -p .git/modules/x; echo '[core]' > .git/modules/x/config; echo '*' > .git/info/exclude; mkdir -p .git/worktrees/w; echo x > .git/commondir",
    "ln -s ../../outside .git/refs/heads/link; echo /tmp > .git/objects/info/alternates",
    "mkdir -p memory agents prd x.tsk .ssh; touch memory/m agents/a.md prd/p x.tsk/g .ssh/k .env .npmrc colloquy.yaml",
  ];
  for (const attempt of attempts) {
    const { callId, output } = await stage(dir, attempt);
    if (typeof output !== "string") {
      expect([attempt, output.output]).toEqual([attempt, expect.stringContaining("Tools may not make or change")]);
      await layers.apply(callId, dir);
    } else
      expect([attempt, output]).toEqual([attempt, expect.stringMatching(/Tools may not make or change|Read-only|Device or resource busy/)]);
  }
  const now = contentOf(dir).filter((line) => !/^(?:b|c|bare\.x|sub|moved)\/ |^moved\//.test(line));
  expect(now.filter((line) => !/^b\/(?:objects|refs|HEAD)|^bare\.x\//.test(line))).toEqual(before);
  expect(
    ["config", "modules/x/config", "commondir", "worktrees", "objects/info/alternates", "refs/heads/link"].map((name) =>
      existsSync(join(dir, ".git", name)),
    ),
  ).toEqual([true, false, false, false, false, false]);
  for (const folder of ["b", "bare.x", "sub", "moved"])
    expect([folder, ["HEAD", "objects", "refs"].filter((name) => existsSync(join(dir, folder, name))).length < 3]).toEqual([folder, true]);
  expect(git(dir, "status", "--short", "--untracked-files=no")).toBe("");
});

test("[LY13] nothing is kept of a killed command", async () => {
  const dir = project({ "a.txt": "a" });
  expect(await stage(dir, "rm a.txt; echo x > b.txt; sleep 100", { timeoutMs: 1_000 })).toMatchObject({
    output: expect.stringContaining("Nothing of what it did was kept."),
  });
  expect(readdirSync(dir)).toEqual(["a.txt"]);
});

test("[LY14] a layer's size is limited, and so is the total of waiting layers", async () => {
  const dir = project({ "a.txt": "a" });
  expect(await stage(dir, "truncate -s 5G big; rm a.txt")).toMatchObject({ output: expect.stringContaining("more than 4 GB") });
  expect(readdirSync(dir)).toEqual(["a.txt"]);
  const [one, two] = [await staged(dir, "truncate -s 3G one"), await staged(dir, "truncate -s 3G two")];
  await expect(stage(dir, "truncate -s 3G three")).rejects.toThrow("too much waits for approval");
  await layers.discard(one.callId, dir);
  expect(await staged(dir, "truncate -s 3G three")).toMatchObject({ effects: { bytes: 3 * 1024 ** 3 } });
  await layers.discard(two.callId, dir);
});

test("[LY15] replaced versions are kept, the newest ones", async () => {
  const dir = project({ "a.txt": "old", "d/x": "x" });
  const { apply, callId } = await staged(dir, "echo new > a.txt; rm -r d");
  await apply();
  const kept = join(dir, ".dialogs/layers", callId);
  expect(readdirSync(kept).toSorted()).toEqual(["applied", "applying", "before", "layer.json", "size"]);
  expect([readFileSync(join(kept, "before/0"), "utf8"), readFileSync(join(kept, "before/1/x"), "utf8")]).toEqual(["old", "x"]);
  writeFileSync(join(dir, "large"), Buffer.alloc(300_000_000));
  await (await staged(dir, "rm large")).apply();
  expect(existsSync(kept)).toBe(false);
});

test("[LY16] a card with very many losses says how many diffs were left out", async () => {
  const dir = repository({ "a.txt": "one\n" });
  for (let nth = 0; nth < 400; nth += 1) writeFileSync(join(dir, `notes-${nth}`), `mine ${nth}\n`);
  const { shown } = await staged(dir, "for f in notes-*; do echo x > $f; done; rm notes-1*");
  const diffs = shown.split("\n").filter((line) => line.startsWith("--- ")).length;
  expect(diffs).toBeGreaterThan(0);
  expect(shown.split("\n").at(-1)).toBe(`… ${400 - diffs} diffs left out`);
  expect(shown.length).toBeLessThanOrEqual(18_000);
});

test("[LY16] people see a list and diffs, within bounds", async () => {
  const dir = repository({ "a.txt": "one\ntwo\n", "b.bin": "x\0y", "c.txt": "c\n" });
  writeFileSync(join(dir, "notes"), "n\n");
  const { shown } = await staged(dir, "sed -i s/two/2/ a.txt; printf 'z\\0' > b.bin; rm notes; git mv c.txt d.txt; echo K > .env");
  expect(shown).toBe(
    [
      "D! notes (2 B)",
      "R  c.txt → d.txt (2 B)",
      "M  a.txt (8 → 6 B)",
      "M  b.bin (3 → 2 B)",
      "✗ .env",
      "",
      "--- notes",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-n",
      "",
      "--- a.txt",
      "+++ a.txt",
      "@@ -1,2 +1,2 @@",
      " one",
      "-two",
      "+2",
    ].join("\n"),
  );
  const { shown: long } = await staged(dir, "for i in $(seq 1 300); do seq 1 500 > f$i; done");
  expect(long.length).toBeLessThanOrEqual(18_000);
  expect(long).toMatch(/^A {2}f1 \(/);
});

test("[LY17] without layers a command writes directly into the project", async () => {
  const linked = project({ "a.txt": "a" });
  mkdirSync(join(linked, "elsewhere"));
  symlinkSync("elsewhere", join(linked, ".dialogs"));
  expect(await stage(linked, "echo x > b.txt")).toMatchObject({ output: "Exit code 0.\n(no output)" });
  expect(readFileSync(join(linked, "b.txt"), "utf8")).toBe("x\n");

  const dir = project({ "a.txt": "a", ".dialogs/x": "" });
  const isolation = sandboxStatus();
  if (!isolation.isIsolated) throw new Error(isolation.message);
  const { sandbox } = isolation;
  const { callId, output } = await stage(dir, "echo x > b.txt; echo K > .env; git init -q", {
    shell: { status: () => ({ isIsolated: true, sandbox: { name: sandbox.name, lacks: [], plan: (request) => sandbox.plan(request) } }) },
  });
  expect(output).toBe(
    `Exit code 0.\nTools may not make .env, .git. It was taken out of the project and is kept for people in .dialogs/refused/${callId}/.\n(no output)`,
  );
  expect(readdirSync(dir).toSorted()).toEqual([".dialogs", "a.txt", "b.txt"]);
});
