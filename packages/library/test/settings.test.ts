import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { environmentOf } from "../src/open/environment.ts";
import { findProject } from "../src/open/find-project.ts";
import { ProjectTeam } from "../src/team/project-team.ts";
import { readSettings } from "../src/team/settings.ts";

function project(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-settings-"));
  mkdirSync(join(dir, "agents"));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(dir, path), text);
  return dir;
}
const yaml = (text: string) => project({ "colloquy.yaml": text });

test.each([
  ["an unknown key", "langage: en\nagents: {}\n", /^colloquy\.yaml:1: langage: .*language/],
  ["a wrong value", "agents: {}\nlanguage: fr\n", /^colloquy\.yaml:2: language: .*en.*zh/],
  [
    "an unknown tool",
    'agents:\n  coder:\n    role: "You code."\n    tools: [shel]\n',
    /^colloquy\.yaml:4: agents\.coder\.tools.*"shel" is unknown\. Known: files/,
  ],
  ["a missing role", "agents:\n  coder:\n    name: Coder\n", /^colloquy\.yaml:\d: agents\.coder.*role/],
  ["no YAML at all", "agents: [\n", /^colloquy\.yaml:\d: /],
  [
    "two defaults",
    "agents:\n  a: { role: x, default: true }\n  b: { role: y, default: true }\n",
    /only one agent can be the default, not a and b/,
  ],
])("[E1] %s is refused with its line and what is valid", async (_what, text, message) => {
  await expect(readSettings(yaml(text))).rejects.toMatchObject({ code: "bad_config", message: expect.stringMatching(message) });
});

test.each(["owner", "System", "SYSTEM", "lead", "Team-Lead", "ＬＥＡＤ", "coder"])("[E8] a user called %s is refused", async (name) => {
  const user = `{ role: viewer, tokenHash: "sha256:${"0".repeat(64)}" }`;
  const config = `agents:\n  lead: { role: You lead., name: Team-Lead }\nusers:\n  anna: ${user}\n  ${name}: ${user}\n`;
  const dir = project({ "colloquy.yaml": config, "agents/coder.md": "You code.\n" });
  const message = expect.stringMatching(new RegExp(`^colloquy\\.yaml:5: users.*no user can be called "${name}"[^\n]*$`));
  await expect(readSettings(dir)).rejects.toMatchObject({ code: "bad_config", message });
});

test.each([
  ["notify: {}\n", /^colloquy\.yaml:1: notify: .*not built yet/],
  ["autonomy: { scopeChanges: sometimes }\n", /^colloquy\.yaml:1: autonomy\.scopeChanges: .*requires_approval/],
  ['permissions: { "run_command(git*": ask }\n', /permissions/],
  ["agents:\n  a: { role: x, handles: [chores] }\n", /^colloquy\.yaml:2: agents\.a\.handles/],
  ["orchestrator: { concurrency: -1 }\n", /^colloquy\.yaml:1: orchestrator\.concurrency/],
])("[E2] %s", async (text, message) => {
  await expect(readSettings(yaml(text))).rejects.toMatchObject({ message: expect.stringMatching(message) });
});

const mcp = (server: string) => `mcp:\n  servers:\n    ${server}\n`;
test.each([
  ["neither command nor url", mcp("one: { args: [a] }"), /^colloquy\.yaml:3: mcp\.servers\.one: give it either a command/],
  ["both", mcp("one: { command: a, url: http://b }"), /^colloquy\.yaml:3: mcp\.servers\.one: give it either a command/],
  [
    "env for a url",
    mcp("one: { url: http://b, env: {} }"),
    /:3: mcp\.servers\.one\.env: belongs to a command; a url has headers and tokenEnv/,
  ],
  ["a token for a command", mcp("one: { command: a, tokenEnv: T }"), /:3: mcp\.servers\.one\.tokenEnv: belongs to a url/],
  ["an unknown key", mcp("one: { comand: a }"), /:3: mcp\.servers\.one\.comand: .*command/],
  ["an address that is none", mcp("one: { url: ftp://b }"), /:3: mcp\.servers\.one\.url: .*http/],
  [
    "a key in the file",
    mcp("one: { command: a, env: { GITHUB_TOKEN: abc } }"),
    /:3: mcp\.servers\.one\.env\.GITHUB_TOKEN: looks like a key.*\$\{NAME\}/,
  ],
  ["a key in a header", mcp("one: { url: http://b, headers: { Authorization: Bearer abc } }"), /headers\.Authorization: looks like a key/],
  ["a name with two underscores", mcp("one__two: { command: a }"), /:3: mcp\.servers\.one__two: letters, digits/],
  ["a group's name", mcp("files: { command: a }"), /:3: mcp\.servers\.files: that name is taken by a group of tools/],
  [
    "an unknown server",
    `agents:\n  lead: { role: x, tools: [two__tool] }\n${mcp("one: { command: a }")}`,
    /:2: agents\.lead\.tools\[0\]: "two__tool" is unknown\. Known: files, shell, tasks, one \(MCP\), or one tool of a server, as in one__name/,
  ],
])("[MC1] %s is refused with its line and what is valid", async (_what, text, message) => {
  await expect(readSettings(yaml(text))).rejects.toMatchObject({ code: "bad_config", message: expect.stringMatching(message) });
});
test("[MC1] servers, and agents that name them", async () => {
  const text = mcp("one: { command: a, env: { A_TOKEN: '${A}' } }\n    two: { url: 'http://h:${PORT}/mcp', timeout: 5m }");
  const { config } = await readSettings(yaml(`agents: { lead: { role: x, tools: [one, two__tool, files] } }\n${text}`));
  expect(config.mcp.servers).toMatchObject({ one: { command: "a", timeout: 120_000 }, two: { timeout: 300_000, startTimeout: 30_000 } });
});

test("[E3] an agent is a file with front matter and a role prompt", async () => {
  const dir = project({ "colloquy.yaml": "", "agents/scribe.md": "---\nname: Scribe\ntools: [files]\n---\nYou write things down.\n" });
  expect((await readSettings(dir)).agents.get("scribe")).toEqual({ name: "Scribe", tools: ["files"], role: "You write things down." });
});
test("[E3] its mistakes have the file's own line numbers", async () => {
  const dir = project({ "colloquy.yaml": "", "agents/scribe.md": "---\nname: Scribe\ntool: [files]\n---\nYou write.\n" });
  await expect(readSettings(dir)).rejects.toMatchObject({ message: expect.stringMatching(/^agents\/scribe\.md:3: tool: /) });
});
test("[E3] the same id in two places is refused", async () => {
  const dir = project({ "colloquy.yaml": "agents: { scribe: { role: x } }", "agents/scribe.md": "You write." });
  await expect(readSettings(dir)).rejects.toMatchObject({
    message: 'agents/scribe.md: "scribe" is in colloquy.yaml too. Keep one of them.',
  });
});

test("[E4] changed settings count; broken ones are reported and the last good ones stay", async () => {
  const dir = yaml('agents: { lead: { role: "You lead." } }');
  const reports: string[] = [];
  const team = new ProjectTeam(
    { dir, agents: [], model: "x/y", env: {}, findModel: undefined, now: Date.now, report: (message) => reports.push(message) },
    true,
  );
  await team.refresh();
  const change = async (text: string, nth: number) => {
    writeFileSync(join(dir, "colloquy.yaml"), text);
    utimesSync(join(dir, "colloquy.yaml"), nth, nth);
    await team.refresh();
  };
  await change('agents: { lead: { role: "You follow." } }', 1);
  expect(team.member("lead")?.role).toBe("You follow.");
  await change("agents: 7", 2);
  expect(reports).toHaveLength(1);
  expect(team.member("lead")?.role).toBe("You follow.");
});

test("[E5] the environment wins over .env", () => {
  const dir = project({ ".env": "A_KEY=file\nB_KEY=file\n" });
  expect(environmentOf(dir, { A_KEY: "given" })).toEqual({ A_KEY: "given", B_KEY: "file" });
});

test("[E6] the project is found from a folder below", () => {
  const dir = yaml("");
  mkdirSync(join(dir, "a/b"), { recursive: true });
  expect(findProject(join(dir, "a/b"))).toBe(dir);
  expect(findProject(tmpdir())).toBeUndefined();
});

test.each([
  ["a named pipe", (path: string) => void execFileSync("mkfifo", [path])],
  ["a folder", (path: string) => mkdirSync(path)],
  ["a device", (path: string) => symlinkSync("/dev/zero", path)],
  ["a file of 5 MB", (path: string) => writeFileSync(path, "#".repeat(5_000_000))],
])("[E7] %s in place of a file is refused at once, by its name", async (kind, make) => {
  const refusal = (path: string) => ({
    code: "bad_config",
    message: expect.stringMatching(new RegExp(`${path}.*(?:${kind}|has 5000000 bytes)`)),
  });
  const settings = project({});
  make(join(settings, "colloquy.yaml"));
  await expect(readSettings(settings)).rejects.toMatchObject(refusal("colloquy.yaml"));
  const agent = yaml("agents: { lead: { role: x } }\n");
  make(join(agent, "agents/coder.md"));
  await expect(readSettings(agent)).rejects.toMatchObject(refusal("coder.md"));
  const keys = yaml("agents: {}\n");
  make(join(keys, ".env"));
  expect(() => environmentOf(keys, {})).toThrow(expect.objectContaining(refusal(".env")));
});
