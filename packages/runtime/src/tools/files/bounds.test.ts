// Names that no file system accepts, and files too long to read.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { git, repository, stage, staged } from "../../layers/testing.ts";
import { tryToUse, use } from "../testing.ts";

const name = "n".repeat(255);
const GB3 = 3_000_000_000;

const toolsFor = (path: string) =>
  [
    ["read_file", { path }],
    ["write_file", { path, content: "x" }],
    ["edit_file", { path, old: "a", new: "b" }],
    ["list_dir", { path }],
    ["search_files", { pattern: "a", path }],
    ["run_command", { command: "true", cwd: path }],
  ] as const;

test.each([
  ["a long name", `${name}n`, "A name in a path has at most 255 bytes"],
  ["a long name of wide letters", "字".repeat(86), "A name in a path has at most 255 bytes"],
  ["a long name on the way", `${name}n/b.txt`, "A name in a path has at most 255 bytes"],
  ["PATH_MAX", Array.from({ length: 16 }, () => name).join("/"), "A path has at most 4000 bytes"],
  ["PATH_MAX by short names", "d/".repeat(2_048), "A path has at most 4000 bytes"],
  ["far more than that", "d/".repeat(500_000), "A path has at most 4000 bytes"],
  ["far more on the way up", "../".repeat(5_000), "A path has at most 4000 bytes"],
])("[B25] %s gets an answer from every tool", async (_, path, says) => {
  const dir = repository({ "a.txt": "a" });
  for (const [tool, input] of toolsFor(path)) {
    const { text, isError } = await tryToUse(dir, tool, input);
    expect([tool, isError, text.slice(0, says.length)]).toEqual([tool, true, says]);
    expect(text.length).toBeLessThan(300);
  }
});

test("[B25] the longest valid names work", async () => {
  const dir = repository({ "a.txt": "a" });
  const path = [name, name, name, "b.txt"].join("/");
  expect((await tryToUse(dir, "write_file", { path, content: "x" })).isError).toBe(false);
  expect((await tryToUse(dir, "read_file", { path })).text).toContain("x");
});

test.each([".git/HEAD", ".git/config", ".git/commondir", "below/.git/config"])(
  "[B26] with a %s of 3 GB, tools answer at once and touch nothing",
  async (file) => {
    const dir = repository({ "a.txt": "a" });
    git(dir, "init", "--quiet", "below");
    writeFileSync(join(dir, file), "", { flag: "a" });
    truncateSync(join(dir, file), GB3);
    for (const [tool, input] of [
      ["write_file", { path: "below/b.txt", content: "x" }],
      ["run_command", { command: "git status; rm a.txt" }],
    ] as const) {
      const { text, isError } = await tryToUse(dir, tool, input);
      expect([tool, isError, text]).toEqual([tool, true, expect.stringContaining(`${file} has ${GB3} bytes, so git cannot work here.`)]);
    }
    expect((await tryToUse(dir, "read_file", { path: "a.txt" })).text).toContain("a");
  },
);

test.each([".git", ".git/HEAD", ".git/config", ".git/index", ".git/packed-refs", ".git/objects/info/alternates", ".git/info/exclude"])(
  "[B26] with a pipe named %s, tools answer at once and touch nothing",
  async (file) => {
    const dir = repository({ "a.txt": "a" });
    rmSync(join(dir, file), { recursive: true, force: true });
    execFileSync("mkfifo", [join(dir, file)]);
    for (const [tool, input] of [
      ["write_file", { path: "b.txt", content: "x" }],
      ["run_command", { command: "rm a.txt" }],
    ] as const) {
      const { text, isError } = await tryToUse(dir, tool, input);
      expect([tool, isError, text]).toEqual([tool, true, expect.stringContaining(`${file} is neither a file nor a folder`)]);
    }
    expect((await tryToUse(dir, "read_file", { path: "a.txt" })).text).toContain("a");
  },
);

test("[B26] [ST20] settings that git cannot read to their end stop tools that write, and git is not asked again at once", async () => {
  const dir = repository({ "a.txt": "a" });
  execFileSync("mkfifo", [join(dir, "more")]);
  git(dir, "config", "include.path", "../more");
  const write = () => tryToUse(dir, "write_file", { path: "b.txt", content: "x" });
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 1);
  expect((await write()).text).toContain(".git/config or a file that it includes takes longer than 3 s to read");
  clearInterval(counting);
  // Nobody else waits for git.
  expect(turns).toBeGreaterThan(10);
  // Readable from now on, so that only asking git again would let these through.
  rmSync(join(dir, "more"));
  writeFileSync(join(dir, "more"), "");
  expect((await write()).isError).toBe(true);
  expect((await tryToUse(dir, "run_command", { command: "rm a.txt" })).isError).toBe(true);
});

test.each(["package.json", "node_modules/x/package.json", ".gitignore"])("[B26] a %s of 3 GB does not affect tools", async (file) => {
  const dir = repository({ "a.txt": "a" });
  mkdirSync(dirname(join(dir, file)), { recursive: true });
  writeFileSync(join(dir, file), "");
  truncateSync(join(dir, file), GB3);
  expect((await tryToUse(dir, "write_file", { path: "package.json", content: "{}" })).text).toBe("Wrote 2 bytes to package.json.");
  expect((await tryToUse(dir, "run_command", { command: "echo b > b.txt" })).text).toContain("Exit code 0.");
});

test.each(["HEAD", "refs/heads/main", "ORIG_HEAD"])("[B26] a command leaves no .git/%s of 3 GB behind", async (file) => {
  const dir = repository({ "a.txt": "a" });
  const { output } = await stage(dir, `truncate -s ${GB3} .git/${file}`);
  expect(output).toContain(`Tools may not make or change .git/${file}.`);
  const long = await staged(dir, "head -c 1300000 /dev/zero | tr '\\0' 0 >> .git/logs/HEAD");
  expect(long.effects.refused).toEqual([]);
  expect(statSync(join(dir, ".git/HEAD")).size).toBeLessThan(100);
});

test("[ST17] a long file is read in a thread, which the signal ends", async () => {
  const dir = repository({ "long.txt": "abcdefgh\n".repeat(1_100_000), "line.txt": "ab".repeat(500_000) });
  expect(await use(dir, "read_file", { path: "long.txt", from: 1_099_999 })).toBe("abcdefgh\nabcdefgh\n");
  expect(await use(dir, "read_file", { path: "long.txt", from: 7, to: 8 })).toMatch(/^abcdefgh\nabcdefgh\n.*7 to 8 of 1100001/);
  expect(await use(dir, "read_file", { path: "long.txt", from: 1_100_002 })).toContain("no line 1100002");
  expect(await use(dir, "read_file", { path: "line.txt" })).toMatch(/^(?:ab){12500}\n.*1000000/);
  const stop = new AbortController();
  const reading = use(dir, "read_file", { path: "long.txt" }, { signal: stop.signal });
  // By then the tool has begun: parsing its input takes no turn of the event loop.
  setImmediate(() => stop.abort(new Error("stopped")));
  await expect(reading).rejects.toThrow("stopped");
});
