import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { commandTable } from "../src/line/command-table.ts";
import { globalOptions } from "../src/line/option.ts";
import { plainWidth } from "../src/terminal/wrap-plain.ts";
import { colloquy, start, folder, inTerminal, project } from "./support.ts";

test("[K2] help shows eight commands, and all of them with --all", async () => {
  const { code, stdout } = await colloquy(folder(), "help");
  expect(code).toBe(0);
  expect(stdout.match(/^ {2}\w+ /gm)).toHaveLength(8);
  const all = await colloquy(folder(), "help", "--all");
  for (const { name } of commandTable) expect(all.stdout).toMatch(new RegExp(`^ {2}${name} `, "m"));
});

test.each(commandTable.map(({ name }) => name).filter((name) => name !== "help"))(
  "[K2] help %s has usage, options and examples",
  async (name) => {
    const { out } = await inTerminal(folder(), ["help", name]);
    expect(out).toContain(`colloquy ${name}`);
    expect(out).toContain("Examples:");
    expect((await inTerminal(folder(), [name, "--help"])).out).toBe(out);
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(110);
  },
);

test.each([44, 80])("[K17] help fits a terminal of %i columns; only commands to copy are never wrapped", async (columns) => {
  for (const args of [["help"], ["help", "--all"], ...commandTable.map(({ name }) => ["help", name])]) {
    const { out } = await inTerminal(folder(), args, { columns });
    expect(out.split("\n").filter((line) => line.length > columns && !line.includes("colloquy "))).toEqual([]);
  }
});

test.each([44, 80])("[K132][K17] help is Chinese where the terminal is, in %i columns", async (columns) => {
  const env = { LC_ALL: "zh_CN.UTF-8" };
  for (const args of [["help"], ["help", "--all"], ...commandTable.map(({ name }) => ["help", name])]) {
    const { out } = await inTerminal(folder(), args, { columns, env });
    expect(out).toMatch(/\p{Script=Han}/u);
    expect(out.split("\n").filter((line) => plainWidth(line) > columns && !line.includes("colloquy "))).toEqual([]);
  }
});

test("[K132] a new project is in the terminal's language, unless told otherwise", async () => {
  const dir = folder();
  const env = { LANG: "zh_CN.UTF-8" };
  await inTerminal(dir, ["init", "shop", "--yes"], { env });
  await inTerminal(dir, ["init", "lab", "--yes", "--language", "en"], { env });
  expect(readFileSync(join(dir, "shop/colloquy.yaml"), "utf8")).toContain("language: zh");
  expect(readFileSync(join(dir, "lab/colloquy.yaml"), "utf8")).toContain("language: en");
});

test("[K132] no Chinese text of the help contains an English phrase", async () => {
  const said = await Promise.all(
    commandTable.map(async ({ summary, load }) => {
      const { about, options, examples } = await load();
      return [
        summary,
        about,
        ...Object.values({ ...globalOptions, ...options }).map((option) => option.about),
        ...examples.map(([, what]) => what),
      ];
    }),
  );
  // Two lower-case words in a row, unless they are a command.
  const commands = new RegExp(`\\b(?:colloquy|${commandTable.map(({ name }) => name).join("|")})(?: [a-z]+)+`, "g");
  const texts = said.flat().flatMap((text) => (text === "" ? [] : [text.zh]));
  expect(texts.filter((text) => /\b[a-z]{2,} [a-z]{2,}\b/.test(text.replaceAll(commands, "")))).toEqual([]);
});

test("[K2] the first eight are the most useful, and a newcomer is told about the demo", async () => {
  const { stdout } = await colloquy(folder(), "--help");
  expect(stdout.match(/^ {2}\w+ /gm)?.map((name) => name.trim())).toEqual([
    "new",
    "send",
    "questions",
    "answer",
    "ls",
    "show",
    "tree",
    "watch",
  ]);
  expect(stdout).toContain("New here? colloquy demo");
});

test("[K3] [K82] --help loads no library", async () => {
  expect((await colloquy(folder(), "--help")).code).toBe(0);
  expect(staticImports("cli.js")).not.toContain("zod");
  expect(staticImports("cli.js").filter((file) => file === "index.js")).toEqual([]);
  expect(staticImports("cli.js").filter((file) => file === "ink" || file === "react")).toEqual([]);
});

test("[K126] compiled code is cached where Node caches it, unless disabled", async () => {
  const [kept, unwanted] = [folder(), folder()];
  await start(project(), ["ls"], { env: { TMPDIR: kept } }).ended;
  await start(project(), ["ls"], { env: { TMPDIR: unwanted, NODE_DISABLE_COMPILE_CACHE: "1" } }).ended;
  expect([kept, unwanted].map((dir) => existsSync(join(dir, "node-compile-cache")))).toEqual([true, false]);
});

/** Everything that a bundle imports before it runs. */
function staticImports(entry: string): readonly string[] {
  const dist = fileURLToPath(new URL("../../../dist/", import.meta.url));
  const seen = new Set<string>();
  const visit = (file: string): void => {
    const text = readFileSync(join(dist, file), "utf8");
    for (const [, named, bare] of text.matchAll(/^(?:import|export) .*?from "([^"]+)";$|^import "([^"]+)";$/gm)) {
      const from = named ?? bare ?? "";
      const name = from.replace(/^\.\//, "");
      if (seen.has(name)) continue;
      seen.add(name);
      if (from.startsWith("./")) visit(name);
    }
  };
  visit(entry);
  return [...seen];
}

test.each([
  [["shwo"], 'There is no command "shwo". Did you mean "show"? colloquy help lists them.'],
  [["frobnicate"], 'There is no command "frobnicate". colloquy help lists them.'],
  [
    ["ls", "--foo"],
    "ls has no option --foo. Its options: --status S, --all, -C DIR, --store URL, --json, --server URL, --token TOKEN, --project ID, --help, --version.",
  ],
  [["new", "- one"], 'after --, as in: colloquy new -- "- one"'],
])("[K4] [K9] %j is wrong usage", async (args, message) => {
  const { code, stdout, stderr } = await colloquy(project(), ...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(message);
});

test.each([[["notify"]]])("[K5] %j is not built yet", async (args) => {
  const { code, stderr } = await colloquy(project(), ...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(/not built yet\.\n$/);
});

test("[K6] common options may come before or after the command", async () => {
  const dir = project();
  const before = await colloquy(folder(), "-C", dir, "--json", "ls");
  const behind = await colloquy(folder(), "ls", "--json", "-C", dir);
  expect(before).toEqual({ code: 0, stdout: '{"dialogs":[]}\n', stderr: "" });
  expect(behind).toEqual(before);
  expect((await colloquy(dir, "--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([
  [["new"], "new needs TEXT. Usage: colloquy new "],
  [["send", "@"], "send needs TEXT. Usage: "],
  [["show"], "show needs DIALOG. Usage: colloquy show "],
  [["done", "@", "now"], 'done takes no "now". Usage: '],
  [["stop"], "Name a dialog or give --all."],
  [["new", ""], "A message needs some text."],
  [["new", "--agent"], "--agent needs a value: --agent ID."],
  [["new", "--wait=yes", "hi"], "--wait takes no value."],
  [["new", "--timeout", "soon", "hi"], '--timeout takes a time such as 30s, 5m or 2h, not "soon".'],
  [["ls", "--status", "odd"], "--status takes one of running, idle,"],
  [["log", "@", "--after", "x"], "--after takes the number of an event"],
  [["usage", "--by", "moon"], '--by takes agent, day, dialog, not "moon".'],
  [["completion", "tcsh"], 'Completion exists for bash, zsh, fish, not for "tcsh".'],
  [["grants", "give"], "Usage: colloquy grants, or colloquy grants revoke ID"],
  [["chat", "--json"], "chat is for people."],
  [["watch"], "watch needs a terminal."],
  [["models", "try"], "Usage: colloquy models, or colloquy models test NAME"],
  [["init", "--template", "x"], 'There is no template "x". There are solo, pair, support, sprint.'],
])("[K7] %j is answered with what would be right", async (args, message) => {
  const { code, err } = await inTerminal(project(), args);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

test("[K8] [K9] the project is found upward, as git does it", async () => {
  const dir = project();
  mkdirSync(join(dir, "a/b"), { recursive: true });
  expect((await colloquy(join(dir, "a/b"), "agents")).stdout).toContain("lead\tLead");
  const none = folder();
  expect(await colloquy(none, "ls")).toEqual({
    code: 3,
    stdout: "",
    stderr: `No colloquy.yaml in ${none.replace(tmpdir(), "~")} or above. Make one: colloquy init\n`,
  });
  expect((await colloquy(none, "-C", "nowhere", "ls")).stderr).toContain("There is no folder ");
});
