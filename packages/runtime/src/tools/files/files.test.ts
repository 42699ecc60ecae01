import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { isHidden, isReadOnly } from "./hidden.ts";
import { OpenFolder } from "./open-at.ts";
import { toolTexts } from "../tool-texts.ts";
import { defineSearch } from "./search-files.ts";
import { NOBODY, tryToUse, use } from "../testing.ts";

function project(files: Readonly<Record<string, string | Buffer>>): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-files-"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  return dir;
}

test("[B1] a path inside may be absolute, have dots, or be a link that stays inside", async () => {
  const dir = project({ "src/a.txt": "one" });
  symlinkSync("src", join(dir, "code"));
  symlinkSync(dir, `${dir}-link`);
  for (const path of ["src/a.txt", "./src/../src/a.txt", join(dir, "src/a.txt"), "code/a.txt", join(`${dir}-link`, "src/a.txt")])
    expect(await use(dir, "read_file", { path })).toBe("one");
  expect(await use(`${dir}-link`, "read_file", { path: join(`${dir}-link`, "src/a.txt") })).toBe("one");
});

test.each([
  [
    true,
    ".env .env.local .envrc a/.env.example .dialogs .dialogs/run/x a/.dialogs/x x.tsk tasks/x.tsk/goals.md a/b/c.tsk/d memory memory/team/a.md",
  ],
  [
    true,
    "a.pem a/b.key server.p12 store.jks id_rsa id_rsa.old a/id_ed25519.pub .npmrc .netrc .pgpass .git-credentials .ssh/config .aws/x home/.gnupg/y",
  ],
  [
    false,
    "env a.env src/environment.ts memory.md src/memory/a.ts tsk a.tsk.md key.ts keys/a.json id_generator.ts identity.ts pem.md .github/x .nvmrc",
  ],
  [false, "node_modules/certs/ca.pem .venv/lib/site-packages/certifi/cacert.pem node_modules/x/.npmrc"],
  [true, "node_modules/x.tsk/a .ssh/node_modules/x node_modules/.dialogs/x"],
])("[B2] hidden is %s: %s", (expected, paths) => {
  for (const path of paths.split(" ")) expect([path, isHidden(path)]).toEqual([path, expected]);
});

test.each([
  [true, "colloquy.yaml prd prd/search.md PRD/a/b agents agents/lead.md agents/a/b .git .git/config .git/hooks/x vendor/x/.git/config"],
  [false, "a/colloquy.yaml a/prd/b prd.md a/agents/b agents.md AGENTS.md .gitignore .github/x"],
])("[B3] read-only is %s: %s", (expected, paths) => {
  for (const path of paths.split(" ")) expect([path, isReadOnly(path)]).toEqual([path, expected]);
});
test("[B1] [B2] [B3] the refusal says why", async () => {
  const dir = project({ ".env": "", "agents/a.md": "" });
  symlinkSync("../x", join(dir, "dangling"));
  for (const path of ["..", "../x", "/etc/passwd", "/proc/self/cwd/a"])
    await expect(use(dir, "read_file", { path })).rejects.toThrow(/is outside of the project|There is no/);
  await expect(use(dir, "list_dir", { path: ".." })).rejects.toThrow('".." is outside of the project.');
  await expect(use(dir, "write_file", { path: "../x", content: "" })).rejects.toThrow('"../x" is outside of the project.');
  await expect(use(dir, "write_file", { path: "dangling", content: "" })).rejects.toThrow('"dangling" is a link that leads nowhere.');
  await expect(use(dir, "read_file", { path: ".env" })).rejects.toThrow('".env" is not open to tools.');
  await expect(use(dir, "write_file", { path: "agents/a.md", content: "" })).rejects.toThrow('"agents/a.md" may be read but not written.');
});
test("[B2] listings and searches leave it out", async () => {
  const dir = project({
    ".env": "x",
    ".dialogs/a": "x",
    "tasks/a.tsk/b": "x",
    "tasks/note.md": "x",
    "memory/a": "x",
    "a.pem": "x",
    "b.txt": "x",
    ".npmrc": "x",
  });
  expect(await use(dir, "list_dir", {})).toBe("b.txt\ntasks/");
  expect(await use(dir, "list_dir", { path: "tasks" })).toBe("note.md");
  expect(await use(dir, "search_files", { pattern: "" })).toBe("b.txt\ntasks/note.md");
});

test("[B3] and can be read", async () => {
  const dir = project({ "colloquy.yaml": "agents: {}", "agents/lead.md": "You lead.", ".git/config": "[core]" });
  expect(await use(dir, "read_file", { path: "colloquy.yaml" })).toBe("agents: {}");
  expect(await use(dir, "read_file", { path: ".git/config" })).toBe("[core]");
  expect(await use(dir, "list_dir", { path: "agents" })).toBe("lead.md");
});

test("[B4] lines by number, and how to get the rest", async () => {
  const dir = project({ "a.txt": "one\ntwo\nthree", "long.txt": Array.from({ length: 5_000 }, (_, at) => `line ${at + 1}`).join("\n") });
  expect(await use(dir, "read_file", { path: "a.txt", from: 2 })).toBe("two\nthree");
  expect(await use(dir, "read_file", { path: "a.txt", to: 1 })).toBe("one\n… lines 1 to 1 of 3; ask with from: 2 for more.");
  expect(await use(dir, "read_file", { path: "a.txt", from: 9 })).toBe("… there is no line 9: the file has 3.");
  expect(await use(dir, "read_file", { path: "long.txt" })).toMatch(
    /^line 1\n[\s\S]*\nline 2000\n… lines 1 to 2000 of 5000; ask with from: 2001 for more\.$/,
  );
});
test("[B4] a part is cut at a line end, and a line that is too long says so", async () => {
  const dir = project({ "wide.txt": `${"x".repeat(20_000)}\n${"y".repeat(20_000)}\n`, "one.json": "z".repeat(100_000) });
  expect(await use(dir, "read_file", { path: "wide.txt" })).toMatch(/^x{20000}\n… lines 1 to 1 of 3; ask with from: 2/);
  expect(await use(dir, "read_file", { path: "one.json" })).toMatch(/^z{25000}\n… line 1 of 1 goes on: 100000 characters/);
});
test("[B4] binary and large files are refused", async () => {
  const dir = project({ binary: Buffer.from([1, 0, 2]), "latin.txt": Buffer.from([0xe9, 0x0a]), large: Buffer.alloc(10_000_001, "a") });
  await expect(use(dir, "read_file", { path: "binary" })).rejects.toThrow(/not a text file \(3 bytes\)/);
  await expect(use(dir, "read_file", { path: "large" })).rejects.toThrow(/at most 10000000 can be opened.*search_files/);
  expect(await use(dir, "read_file", { path: "latin.txt" })).toBe("… this file is not UTF-8; it was read as Latin-1.\né\n");
  await expect(use(dir, "read_file", { path: "nope" })).rejects.toThrow('There is no "nope" in the project.');
  await expect(use(dir, "read_file", { path: "." })).rejects.toThrow(/is a folder\. Use list_dir/);
  await expect(use(dir, "list_dir", { path: "binary" })).rejects.toThrow(/is a file\. Use read_file/);
});

const folded = [
  ".ENV",
  ".Env.Local",
  ".env.",
  ".env ",
  ".env...",
  "\uFF0Eenv",
  ".e\u200Bnv",
  "MEMORY/x",
  "Memory/x",
  ".Dialogs/x",
  "a.TSK/b",
  "a.tsk./b",
  "A.PEM",
  "ID_RSA",
  "\u2024env",
  "memory\u00AD/x",
];
test.each(folded)("[B5] %j is hidden too", (path) => {
  expect(isHidden(path)).toBe(true);
});
test.each(["Colloquy.YAML", "AGENTS/x", "agents./x", ".GIT/hooks/x", ".git /config", ".g\u200Cit/config"])(
  "[B5] %j is read-only too",
  (path) => {
    expect(isReadOnly(path)).toBe(true);
  },
);

test("[B6] a file is open only if all its names are", async () => {
  const dir = project({ ".env": "KEY=1", "src/a.txt": "shared", "node_modules/p/index.js": "cached" });
  const outside = project({ "secret.txt": "outside", "cache.js": "cached" });
  linkSync(join(dir, ".env"), join(dir, "src/env.txt"));
  linkSync(join(outside, "secret.txt"), join(dir, "src/out.txt"));
  linkSync(join(dir, "src/a.txt"), join(dir, "src/b.txt"));
  linkSync(join(outside, "cache.js"), join(dir, "node_modules/p/cache.js"));
  linkSync(join(dir, ".env"), join(dir, "node_modules/p/env.js"));
  for (const path of ["src/env.txt", "src/out.txt", "node_modules/p/env.js"]) {
    await expect(use(dir, "read_file", { path })).rejects.toThrow(/another name \(a hard link\) that is hidden or outside/);
    await expect(use(dir, "edit_file", { path, old: "K", new: "k" })).rejects.toThrow(/hard link/);
  }
  expect(await use(dir, "read_file", { path: "src/b.txt" })).toBe("shared");
  expect(await use(dir, "read_file", { path: "node_modules/p/cache.js" })).toBe("cached");
  expect(await use(dir, "search_files", { pattern: "KEY|outside|shared" })).toBe("src/a.txt:1: shared\nsrc/b.txt:1: shared");
});
test("[B6] writing gives the name a file of its own", async () => {
  const dir = project({ ".env": "KEY=1" });
  linkSync(join(dir, ".env"), join(dir, "env.txt"));
  await use(dir, "write_file", { path: "env.txt", content: "mine" });
  expect(readFileSync(join(dir, ".env"), "utf8")).toBe("KEY=1");
  expect(readFileSync(join(dir, "env.txt"), "utf8")).toBe("mine");
});

const servers: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
test("[B7] pipes, sockets and devices are not opened", async () => {
  const dir = project({ "a.txt": "one" });
  spawnSync("/usr/bin/mkfifo", [join(dir, "pipe")]);
  const server = createServer();
  servers.push(server);
  await new Promise<void>((listening) => server.listen(join(dir, "socket"), listening));
  for (const path of ["pipe", "socket"]) {
    await expect(use(dir, "read_file", { path })).rejects.toThrow(/not a regular file/);
    await expect(use(dir, "write_file", { path, content: "x" })).rejects.toThrow(/not a regular file/);
    await expect(use(dir, "edit_file", { path, old: "a", new: "b" })).rejects.toThrow(/not a regular file/);
  }
  expect(await use(dir, "list_dir", {})).toBe("a.txt\npipe (special file)\nsocket (special file)");
  expect(await use(dir, "search_files", { pattern: "." })).toBe("a.txt:1: one");
});

test("[B8] a link on the way, put there after the path was judged, is not followed", () => {
  const dir = project({ "src/a.txt": "one" });
  symlinkSync("src", join(dir, "code"));
  expect(() => OpenFolder.open(dir, "code")).toThrow(/was changed while it was being opened/);
  expect(() => OpenFolder.with(dir, "", (folder) => folder.child("code"))).toThrow(/was changed while it was being opened/);
  symlinkSync("a.txt", join(dir, "src/link.txt"));
  expect(() => OpenFolder.with(dir, "src", (src) => src.openFile("link.txt"))).toThrow(/not a regular file/);
});
test("[B8] an open folder stays itself, and one that was moved is not written to", () => {
  const dir = project({ "src/a.txt": "mine", "other/a.txt": "theirs" });
  OpenFolder.with(dir, "src", (src) => {
    renameSync(join(dir, "src"), join(dir, "moved"));
    symlinkSync("other", join(dir, "src"));
    expect(readFileSync(src.at("a.txt"), "utf8")).toBe("mine");
    expect(() => src.assertInPlace()).toThrow(/was changed/);
  });
});

const withIgnored = () =>
  project({
    ".gitignore": "dist/\n*.log\n!keep.log\n/build\n",
    "a.ts": "find me",
    "x.log": "find me",
    "keep.log": "find me",
    "dist/a.js": "find me",
    "build/b.js": "find me",
    "src/build/c.js": "find me",
    "src/.gitignore": "local.*\n!x.log\n",
    "src/local.ts": "find me",
    "src/x.log": "find me",
    ".git/x": "find me",
  });
test("[B9] a listing leaves out what git ignores, and names it", async () => {
  const dir = withIgnored();
  expect(await use(dir, "list_dir", {})).toBe(".git/\n.gitignore\na.ts\nkeep.log\nsrc/\n(left out by .gitignore: build/, dist/, x.log)");
  expect(await use(dir, "list_dir", { path: "src" })).toBe(".gitignore\nbuild/\nx.log\n(left out by .gitignore: local.ts)");
  expect(await use(dir, "list_dir", { path: "dist" })).toBe("a.js");
});
test("[B9] a search does as well, unless it begins there", async () => {
  const dir = withIgnored();
  expect(await use(dir, "search_files", { pattern: "find" })).toBe(
    ["a.ts", "keep.log", "src/build/c.js", "src/x.log"].map((file) => `${file}:1: find me`).join("\n"),
  );
  expect(await use(dir, "search_files", { pattern: "find", path: "dist" })).toBe("dist/a.js:1: find me");
  expect(await use(dir, "search_files", { pattern: "find", path: "x.log" })).toBe("x.log:1: find me");
});
test("[B9] git itself agrees", async () => {
  const dir = withIgnored();
  rmSync(join(dir, ".git"), { recursive: true });
  execFileSync("git", ["init", "--quiet"], { cwd: dir });
  const kept = execFileSync("git", ["ls-files", "--others", "--exclude-standard"], { cwd: dir, encoding: "utf8" }).trim().split("\n");
  const found = (await use(dir, "search_files", { pattern: "" })).split("\n");
  expect(found.toSorted()).toEqual(kept.toSorted());
});
test("[B9] long listings say how to get the rest, and names cannot pass for others", async () => {
  const dir = project(Object.fromEntries(Array.from({ length: 510 }, (_, at) => [`f${String(at).padStart(4, "0")}`, ""])));
  expect(await use(dir, "list_dir", {})).toMatch(/f0499\n… and 10 more\. Find them with search_files/);
  const odd = project({ "a\nb": "" });
  symlinkSync("nowhere", join(odd, "link"));
  expect(await use(odd, "list_dir", {})).toBe('"a\\nb"\nlink -> (nothing)');
  expect(await use(project({}), "list_dir", {})).toBe("(empty)");
});

const code =
  "function a() {\n  return 1;\n}\n\nfunction total(items) {\n  let sum = 0;\n  for (const item of items) sum += item.price;\n  return sum;\n}\n";
test("[B10] an exact text is replaced once, literally", async () => {
  const dir = project({ "a.js": code });
  expect(await use(dir, "edit_file", { path: "a.js", old: "let sum = 0;", new: "let sum = $&$1;" })).toBe(
    "Replaced 1 place in a.js, at line 6.",
  );
  expect(readFileSync(join(dir, "a.js"), "utf8")).toBe(code.replace("let sum = 0;", () => "let sum = $&$1;"));
});
test.each([
  [
    "indented otherwise",
    "function total(items) {\n    let sum = 0;\n    for (const item of items) sum += item.price;",
    /nearest place is line 5, which differs in white space only:\n5\| function total\(items\) \{\n6\|   let sum = 0;\n7\|   for/,
  ],
  [
    "a word off",
    "  for (const one of items) sum += one.price;",
    /nearest place is line 7:\n7\|   for \(const item of items\) sum \+= item\.price;\nCopy the text exactly/,
  ],
  ["in another order", "  return sum;\n}\n\nfunction total(items) {", /nearest place is line 2:\n2\|   return 1;/],
  ["of another file", "SELECT * FROM orders WHERE id = ?", /nor anything like it/],
  ["only white space", "\n\n\n\n", /does not occur/],
])("[B10] a near miss changes nothing and shows the nearest place: %s", async (_what, old, message) => {
  const dir = project({ "a.js": code });
  await expect(use(dir, "edit_file", { path: "a.js", old, new: "x" })).rejects.toThrow(message);
  expect(readFileSync(join(dir, "a.js"), "utf8")).toBe(code);
});
test("[B10] a failed edit says why", async () => {
  const dir = project({ "a.txt": "a", "latin.txt": Buffer.from([0xe9]), "agents/a.md": "a" });
  await expect(use(dir, "edit_file", { path: "a.txt", old: "a", new: "a" })).rejects.toThrow(/the same/);
  await expect(use(dir, "edit_file", { path: "latin.txt", old: "a", new: "b" })).rejects.toThrow(/not UTF-8/);
  await expect(use(dir, "edit_file", { path: "none.txt", old: "a", new: "b" })).rejects.toThrow(
    /There is no "none.txt"|not a regular file/,
  );
  await expect(use(dir, "edit_file", { path: "agents/a.md", old: "a", new: "b" })).rejects.toThrow(/may be read but not written/);
  await expect(use(dir, "edit_file", { path: "a.txt", old: "", new: "b" })).rejects.toThrow(/old/);
});

test("[B11] a text with several matches is refused with their lines, or replaced everywhere", async () => {
  const dir = project({ "a.txt": "x\ny\nx\nx" });
  await expect(use(dir, "edit_file", { path: "a.txt", old: "x", new: "z" })).rejects.toThrow(/occurs 3 times in a\.txt \(lines 1, 3, 4\)/);
  expect(await use(dir, "edit_file", { path: "a.txt", old: "x", new: "z", all: true })).toBe(
    "Replaced 3 places in a.txt, at lines 1, 3, 4.",
  );
  expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("z\ny\nz\nz");
});

test("[B12] a file keeps its line ends, its byte order mark and its mode", async () => {
  const dir = project({ "a.txt": "\uFEFFone\r\ntwo\r\nthree\r\n", "run.sh": "#!/bin/sh\n" });
  chmodSync(join(dir, "run.sh"), 0o755);
  await use(dir, "edit_file", { path: "a.txt", old: "one\ntwo", new: "1\n2" });
  expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("\uFEFF1\r\n2\r\nthree\r\n");
  await use(dir, "write_file", { path: "run.sh", content: "#!/bin/bash\n" });
  expect(statSync(join(dir, "run.sh")).mode & 0o777).toBe(0o755);
});

test("[B13] matching lines, with file and number", async () => {
  const dir = project({
    "src/a.ts": "one\nlet x = 1;\nLET y",
    "src/a.test.ts": "let z",
    "b.js": "let q",
    bin: Buffer.from("let\0"),
    "large.txt": Buffer.alloc(5_000_001, "let "),
  });
  symlinkSync("src", join(dir, "code"));
  const search = (input: object) => use(dir, "search_files", input);
  expect(await search({ pattern: String.raw`\blet\b` })).toBe(
    "b.js:1: let q\nsrc/a.test.ts:1: let z\nsrc/a.ts:2: let x = 1;\n… not searched, being too large: large.txt",
  );
  expect(await search({ pattern: "(?i:let)", glob: "*.ts" })).toBe("src/a.test.ts:1: let z\nsrc/a.ts:2: let x = 1;\nsrc/a.ts:3: LET y");
  expect(await search({ pattern: "let", glob: "src/**/*.{ts,tsx}", path: "src/a.ts" })).toBe("src/a.ts:2: let x = 1;");
  expect(await search({ pattern: "let", glob: "!*.ts", path: "." })).toMatch(/^b\.js:1: let q\n…/);
  expect(await search({ pattern: "let", path: "code" })).toBe("src/a.test.ts:1: let z\nsrc/a.ts:2: let x = 1;");
  expect(await search({ pattern: "", glob: "*.js" })).toBe("b.js");
  expect(await search({ pattern: "nothing like it", path: "src" })).toBe("Nothing found in 2 files.");
  await expect(search({ pattern: "(" })).rejects.toThrow(/[Uu]nterminated group/);
});
test("[B13] results are capped, and long lines are cut around the match", async () => {
  const dir = project({ "many.txt": "hit\n".repeat(500), "wide.js": `${"a".repeat(5_000)}needle${"b".repeat(5_000)}` });
  const many = await use(dir, "search_files", { pattern: "hit" });
  expect(many.split("\n")).toHaveLength(201);
  expect(many).toMatch(/more than 200 matches\. Narrow it down/);
  const wide = await use(dir, "search_files", { pattern: "needle" });
  expect(wide).toMatch(/^wide\.js:1: …a+needleb+…$/);
  expect(wide.length).toBeLessThan(300);
});

test("[B14] an endless pattern is terminated, blocks nobody, and returns what was found", async () => {
  const dir = project({ "a.txt": "aaab", "b.txt": `${"a".repeat(40)}b` });
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 5);
  const tool = defineSearch(2_000, toolTexts.en);
  const context = {
    callId: "0".repeat(32),
    signal: new AbortController().signal,
    dialog: { rootId: "", selfId: "" },
    agent: "",
    dir,
    ...NOBODY,
  };
  const found = await tool.run({ pattern: "^(a+)+$|^aaab$", path: "." }, context);
  clearInterval(ticking);
  expect(found).toBe("a.txt:1: aaab\n… not finished: it took longer than 2 s. Narrow it down with path or glob, or use a simpler pattern.");
  expect(ticks).toBeGreaterThan(10);
});
test("[B14] it ends when the dialog is stopped", async () => {
  const dir = project({ "b.txt": `${"a".repeat(40)}b` });
  const stop = new AbortController();
  const searching = use(dir, "search_files", { pattern: "^(a+)+$" }, { signal: stop.signal });
  stop.abort(new Error("stopped"));
  await expect(searching).rejects.toThrow("stopped");
});

test("[B15] a file is written whole, with its folders, and nothing is left beside it", async () => {
  const dir = project({ ".colloquy-000000000000.tmp": "left by a process that died" });
  expect(await use(dir, "write_file", { path: "src/deep/b.txt", content: "héllo" })).toBe("Wrote 6 bytes to src/deep/b.txt.");
  expect(readFileSync(join(dir, "src/deep/b.txt"), "utf8")).toBe("héllo");
  await use(dir, "write_file", { path: "a.txt", content: "a" });
  expect(readdirSync(dir).toSorted()).toEqual(["a.txt", "src"]);
  await expect(use(dir, "write_file", { path: "src", content: "x" })).rejects.toThrow(/is a folder/);
  await expect(use(dir, "write_file", { path: "a.txt/b", content: "x" })).rejects.toThrow(/is a file, not a folder/);
  await expect(use(dir, "write_file", { path: ".", content: "x" })).rejects.toThrow(/is a folder/);
});
test("[B15] a link inside the project is written through", async () => {
  const dir = project({ "a.txt": "old" });
  symlinkSync("a.txt", join(dir, "link.txt"));
  await use(dir, "write_file", { path: "link.txt", content: "new" });
  expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("new");
});

test("[B16] a link is treated like its target", async () => {
  const dir = project({ "team/lead.md": "You lead.", "notes/a.md": "remember", "conf/c.yaml": "agents: {}", "conf/env": "KEY=1" });
  symlinkSync("team", join(dir, "agents"));
  symlinkSync("notes", join(dir, "memory"));
  symlinkSync("conf/c.yaml", join(dir, "colloquy.yaml"));
  symlinkSync("conf/env", join(dir, ".env"));
  for (const path of ["team/lead.md", "team/new.md", "agents/new.md", "conf/c.yaml", "colloquy.yaml"])
    await expect(use(dir, "write_file", { path, content: "x" })).rejects.toThrow(/may be read but not written/);
  for (const path of ["notes/a.md", "memory/a.md", "conf/env", ".env"])
    await expect(use(dir, "read_file", { path })).rejects.toThrow(/not open to tools/);
  expect(existsSync(join(dir, "team/new.md"))).toBe(false);
  expect(await use(dir, "search_files", { pattern: "." })).toBe("conf/c.yaml:1: agents: {}\nteam/lead.md:1: You lead.");
  expect(await use(dir, "list_dir", {})).toBe("agents -> team\ncolloquy.yaml -> conf/c.yaml\nconf/\nteam/");
});

test("[B17] requirements can be read, and write_file and edit_file are refused there by any path, with a message that names update_prd", async () => {
  const dir = project({ "prd/search.md": "Find.", "src/a.md": "a" });
  symlinkSync("../prd", join(dir, "src/requirements"));
  symlinkSync("../prd/search.md", join(dir, "src/search.md"));
  expect(await use(dir, "read_file", { path: "prd/search.md" })).toContain("Find.");
  for (const path of [
    "prd/search.md",
    "prd/new.md",
    "src/../prd/a/b.md",
    "PRD/search.md",
    "src/requirements/new.md",
    "src/search.md",
    join(dir, "prd/x.md"),
  ])
    await expect(use(dir, "write_file", { path, content: "x" })).rejects.toThrow("Use update_prd");
  await expect(use(dir, "edit_file", { path: "src/search.md", old: "Find.", new: "x" })).rejects.toThrow("Use update_prd");
  expect(readFileSync(join(dir, "prd/search.md"), "utf8")).toBe("Find.");
});

test.each([
  ["a text at every character", "a".repeat(1_900_000), "a", /1900000/],
  ["a text on every line", "ab\n".repeat(600_000), "ab", /600000 .*1, 2, 3/],
  ["a long text that is nowhere", "abc def\n".repeat(230_000), "abc dex\n".repeat(3_000), /nearest place is line 1/],
])("[ST16] an edit of a long file answers soon: %s", async (_what, content, old, says) => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-long-"));
  writeFileSync(join(dir, "long.txt"), content);
  const from = process.cpuUsage();
  const { text, isError } = await tryToUse(dir, "edit_file", { path: "long.txt", old, new: "x" });
  expect([isError, text]).toEqual([true, expect.stringMatching(says)]);
  expect(process.cpuUsage(from).user).toBeLessThan(3_000_000);
});

test("[ST20] what others write to a long file while it is edited is kept", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-long-"));
  const path = join(dir, "long.txt");
  const lines = "ab\n".repeat(600_000);
  writeFileSync(path, `first\n${lines}`);
  let added = 0;
  const writing = setInterval(() => {
    appendFileSync(path, `line ${++added}\n`);
    // Then the edit finds the file as it read it.
    if (added === 50) clearInterval(writing);
  }, 1);
  await use(dir, "edit_file", { path: "long.txt", old: "first", new: "1st" });
  clearInterval(writing);
  const news = Array.from({ length: added }, (_, nth) => `line ${nth + 1}\n`).join("");
  expect(readFileSync(path, "utf8") === `1st\n${lines}${news}`).toBe(true);
});

test("[B29] readers wait for the writers before them in their dialog", async () => {
  const dir = project({ "a.txt": "old" });
  execFileSync("git", ["init", "--quiet", dir]);
  const write = use(dir, "write_file", { path: "a.txt", content: "new\n" });
  const edit = use(dir, "edit_file", { path: "a.txt", old: "new", new: "newer" });
  const readers = [use(dir, "read_file", { path: "a.txt" }), use(dir, "search_files", { pattern: "newer" })];
  expect(await Promise.all(readers)).toEqual(["newer\n", "a.txt:1: newer"]);
  await Promise.all([write, edit]);
});
