// Files that are harmless in the project, but act outside it once a person's programs follow them.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verdictOnEffects } from "@colloquy/core";
import { AutonomyConfig } from "@colloquy/schema";
import { tryToUse } from "../tools/testing.ts";
import { git, project, repository, staged } from "./testing.ts";

const asksFor = async (dir: string, command: string): Promise<readonly string[]> => {
  const { effects } = await staged(dir, command);
  const { reachesOut = [] } = effects;
  const { verdict } = verdictOnEffects(
    { ...effects, files: [] },
    { autonomy: AutonomyConfig.parse({}), permissions: {}, architecture: [] },
  );
  expect([reachesOut, verdict]).toEqual([reachesOut, reachesOut.length > 0 ? "ask" : "allow"]);
  return reachesOut;
};

test.each([
  "ln -s /home/somebody notes",
  "ln -s .. up",
  "ln -s ../other/letters notes",
  "ln -s src/../../other notes",
  "ln -s /root/.ssh/authorized_keys src/keys.txt",
  "ln -s /tmp/x x",
  "ln -s /proc/self/cwd here",
  "ln -s /etc/hosts hosts",
  "mkdir -p a/b && ln -s ../../.. a/b/out",
  "ln -sfn ../.. src/up",
  "mkdir d && ln -s ../.. d/l && mv d src/d && mv src/d e",
  "ln -s loop loop",
  // Inside for now: another command could replace `hop` with a link, and this one would lead out.
  "mkdir -p one/two && ln -s one/two hop && ln -s hop/../../../other later",
  "mkdir hop && ln -s hop/../other later",
  "python3 -c \"import os; os.symlink('/home', 'src/a.ts.new'); os.rename('src/a.ts.new', 'src/a.ts')\"",
])("[LY31] a link that leads out of the project asks: %s", async (command) => {
  const dir = repository({ "src/a.ts": "a", "b.txt": "b" });
  expect((await asksFor(dir, command)).join("\n")).toContain("leads out of the project: ");
});

test("[LY31] links that stay inside, lead to system programs or only moved don't ask", async () => {
  const dir = repository({ "src/a.ts": "a", "b.txt": "b", "old/c.txt": "c" });
  symlinkSync(tmpdir(), join(dir, "old/mine"));
  for (const command of [
    "ln -s src/a.ts a.ts",
    "ln -s ../b.txt src/b.txt",
    `ln -s ${dir}/src all`,
    "ln -s not/there/yet later",
    "mkdir -p .venv/bin && ln -s /usr/bin/python3 .venv/bin/python3 && ln -s python3 .venv/bin/python",
    "ln -s /dev/null quiet",
    "mkdir -p x/y && ln -s ../../src x/y/src && mv x/y/src x/src && ln -sfn ../src x/src",
    "mv old new",
  ])
    expect([command, await asksFor(dir, command)]).toEqual([command, []]);
});

test("[LY31] more than 200 new files hide no link", async () => {
  const dir = project({ "a.txt": "a" });
  const command = "mkdir many && cd many && for i in $(seq 300); do echo $i > $i; done && ln -s /home zzz";
  expect(await asksFor(dir, command)).toEqual(["the link many/zzz leads out of the project: /home"]);
});

const around = (): { readonly dir: string; readonly outside: string } => {
  const outside = mkdtempSync(join(tmpdir(), "colloquy-outside-"));
  writeFileSync(join(outside, "letter.txt"), "SECRET");
  return { dir: project({ "src/a.txt": "a" }), outside };
};

test.each(["a person", "a command"])("[B1] [H4] nothing is read or written by a link out that %s made", async (maker) => {
  const { dir, outside } = around();
  if (maker === "a person") {
    symlinkSync(outside, join(dir, "out"));
    symlinkSync(join(outside, "letter.txt"), join(dir, "src/letter.txt"));
    symlinkSync(join(outside, "new.txt"), join(dir, "new.txt"));
  } else {
    const { apply } = await staged(
      dir,
      `ln -s ${outside} out; ln -s ${outside}/letter.txt src/letter.txt; ln -s ${outside}/new.txt new.txt`,
    );
    expect(await apply()).toMatchObject({ conflicts: [] });
  }
  const before = readdirSync(outside);
  for (const [tool, input] of [
    ["read_file", { path: "out/letter.txt" }],
    ["read_file", { path: "src/letter.txt" }],
    ["list_dir", { path: "out" }],
    ["list_dir", { path: "." }],
    ["search_files", { pattern: "SECRET", path: "out" }],
    ["search_files", { pattern: "SECRET", path: "." }],
    ["write_file", { path: "out/evil.txt", content: "x" }],
    ["write_file", { path: "src/letter.txt", content: "x" }],
    ["write_file", { path: "new.txt", content: "x" }],
    ["edit_file", { path: "out/letter.txt", old: "SECRET", new: "x" }],
    ["run_command", { command: "cat out/letter.txt src/letter.txt" }],
    ["run_command", { command: "pwd", cwd: "out" }],
    ["run_command", { command: "ls out; cp src/a.txt out/evil.txt; echo x > new.txt; echo x > src/letter.txt; rm -rf out/*" }],
    ["run_command", { command: "mv src/a.txt out/; mkdir -p out/sub; tar cf - src | tar xf - -C out; find -L . -type f -exec cat {} +" }],
  ] as const) {
    const { text } = await tryToUse(dir, tool, input);
    expect([tool, input, text.replaceAll(JSON.stringify(input), "").includes("SECRET\n") || text.endsWith("SECRET")]).toEqual([
      tool,
      input,
      false,
    ]);
    expect(readFileSync(join(outside, "letter.txt"), "utf8")).toBe("SECRET");
    expect(readdirSync(outside)).toEqual(before);
  }
});

test("[LY8] [H4] a link that replaces a folder while a layer waits leads nothing out", async () => {
  const { dir, outside } = around();
  const { apply } = await staged(dir, "echo new > src/new.txt; echo b > src/a.txt");
  const { apply: swap } = await staged(dir, `mv src kept; ln -s ${outside} src`);
  expect(await swap()).toMatchObject({ conflicts: [] });
  const { conflicts } = await apply();
  expect(conflicts).toEqual(["src/a.txt", "src/new.txt"]);
  expect(readdirSync(outside)).toEqual(["letter.txt"]);
});

test.each([
  ["package.json", `echo '{"bin":{"colloquy":"evil.js"}}' > package.json`],
  ["package.json", `echo '{"name":"@me/colloquy","bin":"evil.js"}' > package.json`],
  ["package.json", `echo '{"directories":{"bin":"tools"}}' > package.json`],
  ["package.json", `echo '{"bin":{"npx":"evil.js"}}' > m.json && mv m.json package.json`],
  ["package.json", `sed -i 's/"shop":/"cq":/' package.json`],
  ["packages/tool/package.json", `mkdir -p packages/tool && echo '{"bin":{"node":"evil.js"}}' > packages/tool/package.json`],
  ["node_modules/x/package.json", `mkdir -p node_modules/x && echo '{"bin":{"colloquy":"evil.js"}}' > node_modules/x/package.json`],
  ["package.json", `echo '{"bin":{"colloquy":"evil.js"}}' > m.json && ln -sf m.json package.json`],
  ["package.json", `git show HEAD~1:package.json > package.json`],
  ["package.json", `(echo '{"bin":{"colloquy":"evil.js"},"x":"'; head -c 5000000 /dev/zero | tr '\\0' x; echo '"}') > package.json`],
])("[LY32] a command that has %s take over our command asks: %s", async (path, command) => {
  const dir = repository({ "package.json": '{"name":"shop","bin":{"colloquy":"old.js"}}' });
  writeFileSync(join(dir, "package.json"), '{"name":"shop","bin":{"shop":"cli.js"}}');
  git(dir, "commit", "--quiet", "--all", "--message=second");
  const [fact = "", ...more] = await asksFor(dir, command);
  expect(more).toEqual([]);
  expect(fact).toContain(path);
  expect(fact).toMatch(/take over|takes over/);
});

test("[LY32] a person's link to a manifest counts as its target", async () => {
  const dir = project({ "config/manifest.json": '{"name":"shop"}' });
  symlinkSync("config/manifest.json", join(dir, "package.json"));
  expect(await asksFor(dir, `echo '{"bin":{"colloquy":"evil.js"}}' > config/manifest.json`)).toHaveLength(1);
});

test("[LY32] other commands of a manifest, and a person's earlier entries, don't ask", async () => {
  const dir = project({ "package.json": '{"name":"shop","bin":{"colloquy":"mine.js"}}' });
  mkdirSync(join(dir, "node_modules"));
  for (const command of [
    `echo '{"name":"shop","version":"2.0.0","bin":{"colloquy":"mine.js","shop":"cli.js"}}' > package.json`,
    `mkdir node_modules/npm && echo '{"name":"npm","bin":{"npm":"bin/npm.js","npx":"bin/npx.js"}}' > node_modules/npm/package.json`,
    "rm package.json",
  ])
    expect([command, (await staged(dir, command)).effects.reachesOut ?? []]).toEqual([command, []]);
});

test.each([
  "mkdir -p m packages/app; ln -s ../../m packages/app/node_modules",
  "mkdir -p m packages/app/node_modules; ln -s ../../../m packages/app/node_modules/.bin",
])("[LY32] a link to a folder in which npx would look for commands asks: %s", async (command) => {
  expect((await asksFor(project({}), command)).join()).toMatch(/^the link packages\/app\/node_modules\S* may lead to commands/);
});
