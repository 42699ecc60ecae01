// Losses spread over several commands, each of them harmless alone.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { use } from "../tools/testing.ts";
import { layers } from "./layers.ts";
import { git, project, repository, stage, staged } from "./testing.ts";

/** A repository with ignored build output, and notes that only a person has. */
function workshop(): string {
  const dir = repository({ "a.txt": "a\n", ".gitignore": "node_modules/\n*.log\n" });
  for (const [path, text] of [
    ["notes.txt", "a week's work"],
    ["plans/one.md", "first plan"],
    ["plans/two.md", "second plan"],
    ["node_modules/p/index.js", "p"],
    ["build/app.js", "made by hand"],
  ] as const) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

/** What a command loses: files and staged content. */
async function lost(dir: string, command: string): Promise<readonly string[]> {
  const { effects } = await staged(dir, command);
  return [...effects.files.filter(({ isLost, files }) => isLost && files === undefined).map(({ path }) => path), ...effects.git];
}

async function applied(dir: string, command: string): Promise<void> {
  const { callId, output } = await stage(dir, command);
  if (typeof output === "string") throw new Error(`It changed nothing: ${callId} ${output}`);
  expect(output.effects.files.filter(({ isLost }) => isLost)).toEqual([]);
  expect(await layers.apply(callId, dir)).toEqual({ conflicts: [], notes: [] });
}

test.each([
  ["mv notes.txt node_modules/notes.txt", ["notes.txt"]],
  ["cp notes.txt node_modules/p/n.js; rm notes.txt", ["notes.txt"]],
  ["mv notes.txt notes.log", ["notes.txt"]],
  ["mv plans node_modules/plans", ["plans/one.md", "plans/two.md"]],
])("[LY19] work moved to where the next command may delete it is lost: %s", async (command, expected) => {
  expect(await lost(workshop(), command)).toEqual(expected);
});

test.each(["in a repository", "in a project without one"])(
  "[LY19] nor may it move into the build output of a nested repository, %s",
  async (where) => {
    const dir = where === "in a repository" ? workshop() : project({});
    mkdirSync(join(dir, "sub/dist"), { recursive: true });
    writeFileSync(join(dir, "sub/.gitignore"), "dist\n");
    git(join(dir, "sub"), "init", "--quiet");
    writeFileSync(join(dir, "plan.txt"), "a week's work");
    expect(await lost(dir, "mv plan.txt sub/dist/plan.txt")).toEqual(["plan.txt"]);
  },
);

test("[LY19] build output that moves within build output is not lost", async () => {
  expect(await lost(workshop(), "mv node_modules/p node_modules/q; rm -rf node_modules/q")).toEqual([]);
});

test("[LY19] a .gitignore rule doesn't apply to older files", async () => {
  const dir = workshop();
  await applied(dir, "echo build/ >> .gitignore; git add .gitignore; git commit -qm ignore");
  expect(await lost(dir, "rm -rf build")).toEqual(["build/app.js"]);
  await (await staged(dir, "rm -rf build")).apply();
  await applied(dir, "mkdir build; echo built > build/app.js");
  expect(await lost(dir, "rm -rf build")).toEqual([]);
  mkdirSync(join(dir, "build/more"));
  writeFileSync(join(dir, "build/more/app.js"), "built by a person");
  expect(await lost(dir, "rm -rf build")).toEqual([]);
});

test("[LY19] the same, if a file tool wrote the rule", async () => {
  const dir = workshop();
  await use(dir, "write_file", { path: ".gitignore", content: "build/\n" });
  expect(await lost(dir, "rm -rf build")).toEqual(["build/app.js"]);
});

test("[LY19] staged content that leaves the index is lost if no other copy exists", async () => {
  const dir = workshop();
  git(dir, "add", "notes.txt");
  await applied(dir, "rm notes.txt"); // the index still has it
  const told = ["staged content of notes.txt lost"];
  expect(await lost(dir, "git reset -q")).toEqual(told);
  expect(await lost(dir, "git rm -q --cached notes.txt")).toEqual(told);
  expect(await lost(dir, "rm .git/index")).toEqual(told);
  expect(await lost(dir, "git read-tree HEAD")).toEqual(told);
  expect(await lost(dir, "git checkout -q notes.txt")).toEqual([]);
  expect(await lost(dir, "git commit -qm notes")).toEqual([]);
  expect(await lost(dir, "git stash -q")).toEqual([]);
});

test("[LY19] staging, editing and staging again, and unstaging what is still in the folder lose nothing", async () => {
  const dir = workshop();
  git(dir, "add", "notes.txt");
  expect(await lost(dir, "git reset -q")).toEqual([]);
  expect(await lost(dir, "echo more >> notes.txt; git add notes.txt")).toEqual([]);
  expect(await lost(dir, "echo more >> notes.txt; git commit -qam work")).toEqual([]);
  expect(await lost(dir, "git status; git add -A")).toEqual([]);
  git(dir, "commit", "-qm", "notes");
  appendFileSync(join(dir, "notes.txt"), "and a day's");
  expect(await lost(dir, "echo more >> notes.txt; git commit -qam work")).toEqual([]);
  expect(await lost(dir, "git checkout -q notes.txt")).toEqual(["notes.txt"]);
});

test("[LY4] a copy that replaced a person's file is the person's", async () => {
  const dir = project({ "x.txt": "a week's work" });
  await applied(dir, "cp x.txt y.txt");
  expect(await lost(dir, "rm x.txt")).toEqual(["x.txt"]);
  await applied(dir, "cp x.txt z.txt; rm x.txt");
  expect(await lost(dir, "rm z.txt")).toEqual(["z.txt"]);
});

test("[LY4] a person's edit makes an agent's file a person's; an agent's does not", async () => {
  const dir = project({ "a.txt": "a" });
  await applied(dir, "echo one > mine.txt; echo two > both.txt");
  await applied(dir, "echo more >> mine.txt; chmod 755 mine.txt; mv mine.txt still-mine.txt");
  appendFileSync(join(dir, "both.txt"), "and a person's line\n");
  expect(await lost(dir, "rm -f still-mine.txt both.txt")).toEqual(["both.txt"]);
});

test("[LY4] a file made by a file tool and edited by a person is the person's", async () => {
  const dir = project({});
  const write = (content: string) => use(dir, "write_file", { path: "report.md", content });
  await write("one");
  await write("two");
  expect(await lost(dir, "rm report.md")).toEqual([]);
  appendFileSync(join(dir, "report.md"), "a person's line\n");
  expect(await lost(dir, "rm report.md")).toEqual(["report.md"]);
  await write("three");
  expect(await lost(dir, "rm report.md")).toEqual(["report.md"]);
});

test("[AU21] the paths of a waiting layer are known after a restart, below new folders and with changed times only", async () => {
  const dir = project({ "a.txt": "a", "old/b.txt": "b" });
  const { callId, touched } = await staged(dir, "mkdir -p new/deep; echo 1 > new/deep/x; mv old elsewhere; touch -d 2020-01-01 a.txt");
  expect(touched?.changed.toSorted()).toEqual(["elsewhere/b.txt", "new/deep/x", "old/b.txt"]);
  expect(touched?.retimed).toEqual(["a.txt"]);
  expect(await layers.touched?.(callId, dir)).toEqual(touched);
});
