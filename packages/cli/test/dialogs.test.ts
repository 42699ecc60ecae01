import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { colloquy, ended, inTerminal, ownTest, project } from "./support.ts";

const ids = async (dir: string): Promise<readonly string[]> => {
  const { stdout } = await colloquy(dir, "ls", "--all", "--json");
  return (JSON.parse(stdout) as { dialogs: { rootId: string }[] }).dialogs.map(({ rootId }) => rootId);
};

test("[K22] [K18] new prints the last six digits of the id, and works until all is quiet", async () => {
  const dir = project();
  const { code, stdout, stderr } = await colloquy(dir, "new", "Hello", "there");
  const [id = ""] = await ids(dir);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${id.slice(-6)}\n`, stderr: "" });
  expect((await colloquy(dir, "show", "@")).stdout).toContain("said\tlead\tI heard: Hello there");
});

test("[K23] with --wait only the answer is on standard output", async () => {
  const dir = project();
  const waited = await colloquy(dir, "new", "--wait", "--title", "Greeting", "--task", "tasks/x.tsk/", "Hello");
  expect(waited.stdout).toBe("I heard: Hello\n");
  expect(waited.stderr).toMatch(/^[0-9a-f]{6}\n$/);
  expect((await colloquy(dir, "send", "--wait", "Greeting", "Again")).stdout).toBe("I heard: Again\n");
  const { title, taskDocPath } = JSON.parse((await colloquy(dir, "show", "@", "--json")).stdout) as Record<string, unknown>;
  expect({ title, taskDocPath }).toEqual({ title: "Greeting", taskDocPath: "tasks/x.tsk/" });
});

test("[K24] a text of - is standard input", async () => {
  const { stdout } = await ended(project(), ["new", "--wait", "-"], { input: "From a\npipe" });
  expect(stdout).toBe("I heard: From a\npipe\n");
});

test("[K18] a dialog is named by either end of its id, or by its title", async () => {
  const dir = project();
  await colloquy(dir, "new", "First words");
  await colloquy(dir, "new", "Second words");
  const [second = "", first = ""] = await ids(dir);
  for (const name of [first, first.slice(-6), first.slice(-6).toUpperCase(), first.slice(0, 30), "First words", "first WORDS"]) {
    expect((await inTerminal(dir, ["show", name])).out).toContain("First words");
  }
  expect((await inTerminal(dir, ["show", second.slice(-8)])).out).toContain("Second words");
  // As people type what they read, from its beginning: five of six digits are rarely the end of another id.
  expect((await inTerminal(dir, ["show", first.slice(-6, -1)])).out).toContain("First words");
});

test("[K19] @ is the dialog last created or named, and is verified", async () => {
  const dir = project();
  expect(await colloquy(dir, "show", "@")).toMatchObject({ code: 3, stderr: expect.stringContaining("there is none yet") });
  await colloquy(dir, "new", "One");
  await colloquy(dir, "new", "Two");
  const first = (await ids(dir))[1] ?? "";
  expect((await colloquy(dir, "show", "@")).stdout).toContain("Two");
  await colloquy(dir, "log", first.slice(-6));
  expect(readFileSync(join(dir, ".dialogs/last"), "utf8")).toBe(`${first}\n`);
  expect((await colloquy(dir, "show", "@")).stdout).toContain("One");
  writeFileSync(join(dir, ".dialogs/last"), "f".repeat(32));
  expect((await colloquy(dir, "show", "@")).code).toBe(3);
  rmSync(join(dir, ".dialogs/last"));
  expect((await colloquy(dir, "show", "@")).code).toBe(3);
});

test("[K20] an ambiguous name is refused, with some of the matches", async () => {
  const dir = project();
  for (const text of ["Same", "Same", "Other"]) await colloquy(dir, "new", text);
  const [newest = ""] = await ids(dir);
  const byDigits = await colloquy(dir, "show", newest.slice(0, 4));
  expect(byDigits).toMatchObject({ code: 1, stdout: "" });
  expect(byDigits.stderr).toMatch(/^"\w{4}" fits 3 dialogs: \w{6} "Other", \w{6} "Same", \w{6} "Same"\n$/);
  expect((await colloquy(dir, "show", "same")).stderr).toMatch(/^"same" fits 2 dialogs: /);
});

test("[K21] [K9] a name without a match is not found", async () => {
  const dir = project();
  expect(await colloquy(dir, "show", "abc123")).toEqual({
    code: 3,
    stdout: "",
    stderr: 'There is no dialog "abc123". colloquy ls lists them.\n',
  });
  expect(await colloquy(dir, "new", "--agent", "nobody", "hi")).toEqual({
    code: 3,
    stdout: "",
    stderr: 'There is no agent "nobody". The team: lead.\n',
  });
});

test("[K11] --json is one value, whatever happens", async () => {
  const dir = project();
  const made = await colloquy(dir, "new", "--json", "--wait", "Hello");
  const { rootId, ...rest } = JSON.parse(made.stdout) as Record<string, unknown>;
  expect(rest).toMatchObject({ selfId: rootId, seq: 2, state: "idle", answer: "I heard: Hello" });
  const accepted = JSON.parse((await colloquy(dir, "send", "@", "--json", "More")).stdout) as Record<string, unknown>;
  expect(accepted).toEqual({ rootId, selfId: rootId, seq: 4 });
  for (const args of [
    ["status"],
    ["ls"],
    ["show", "@"],
    ["log", "@"],
    ["agents"],
    ["models"],
    ["doctor"],
    ["questions"],
    ["tree", "@"],
    ["usage"],
    ["grants"],
    ["remind", "@"],
    ["completion", "bash"],
    ["stop", "@"],
    ["resume", "@"],
    ["done", "@"],
    ["stop", "--all"],
    ["resume", "--all"],
    ["archive", "@"],
  ]) {
    const { code, stdout } = await colloquy(dir, ...args, "--json");
    expect({ args, code }).toEqual({ args, code: 0 });
    expect(typeof JSON.parse(stdout)).toBe("object");
  }
  for (const args of [["show", "nope"], ["send", "@", "hi"], ["frobnicate"]]) {
    const { code, stdout } = await colloquy(dir, "--json", ...args);
    expect(code).toBeGreaterThan(0);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } });
  }
});

test("[K30] [K31] [K9] stop, resume, done and archive", async () => {
  const dir = project();
  const id = (await colloquy(dir, "new", "Hello")).stdout.trim();
  expect(await colloquy(dir, "stop", "@")).toEqual({ code: 0, stdout: `${id}\tstopped\n`, stderr: "" });

  const kept = await colloquy(dir, "send", "@", "--wait", "Read me later");
  expect(kept).toMatchObject({ code: 1, stdout: "" });
  expect(kept.stderr).toBe(`Dialog ${id} is stopped: Stopped by owner. Resume: colloquy resume ${id}\n`);
  expect((await colloquy(dir, "show", "@")).stdout).toContain("unread\tyou\tRead me later");
  expect((await inTerminal(dir, ["show", "@"])).out).toContain("(waiting to be read) Read me later");

  expect((await colloquy(dir, "resume", "@", "--wait")).stdout).toBe("I heard: Read me later\n");
  expect(await colloquy(dir, "resume", "@")).toMatchObject({ code: 1, stderr: `Dialog ${id} is not stopped.\n` });

  expect((await inTerminal(dir, ["done", "@"])).out).toBe(`✓ ${id}  Hello is done.\n`);
  expect((await colloquy(dir, "send", "@", "--wait", "Open again")).stdout).toBe("I heard: Open again\n");
  expect((await colloquy(dir, "archive", "@")).stdout).toBe(`${id}\tarchived\n`);
  expect(await colloquy(dir, "send", "@", "Too late")).toMatchObject({
    code: 1,
    stderr: `Dialog ${id} is archived and takes no messages.\n`,
  });
});

// A server continues meanwhile.
ownTest("[K30] --all stops busy dialogs, and resumes stopped ones", async () => {
  const dir = project("rules: [{ do: [{ wait: 300ms }, { say: done }] }]\n");
  const one = (await colloquy(dir, "new", "--timeout", "1ms", "One")).stdout.trim();
  const two = (await colloquy(dir, "new", "--timeout", "1ms", "Two")).stdout.trim();
  expect((await colloquy(dir, "stop", "--all")).stdout.split("\n").sort()).toEqual(["", `${one}\tstopped`, `${two}\tstopped`].sort());
  const resumed = await colloquy(dir, "resume", "--all");
  expect(resumed).toMatchObject({ code: 0, stderr: "" });
  expect(resumed.stdout.split("\n").sort()).toEqual(["", `${one}\tOne\tidle`, `${two}\tTwo\tidle`].sort());
  expect(await colloquy(dir, "resume", "--all")).toMatchObject({
    code: 0,
    stderr: "Nothing to resume: no dialog is stopped or interrupted.\n",
  });
});

test("[K32] ls shows open dialogs, and done ones up to ten", async () => {
  const dir = project();
  for (let nth = 1; nth <= 12; nth++) await inTerminal(dir, ["new", `Number ${nth}`]);
  for (let nth = 1; nth <= 11; nth++) await inTerminal(dir, ["done", `Number ${nth}`]);
  await inTerminal(dir, ["archive", "Number 11"]);
  const short = await inTerminal(dir, ["ls"]);
  const lines = short.out.trimEnd().split("\n");
  expect(lines).toHaveLength(12);
  expect(lines[0]).toMatch(/^ {3}ID {6}TITLE +AGENT +STATE +COST +LAST$/);
  expect(lines[1]).toMatch(/^○ {2}[0-9a-f]{6} {2}Number 12 +lead +idle +– +now$/);
  expect(lines.at(-1)).toBe("10 shown, 1 more done, 1 more archived (--all)");
  expect((await colloquy(dir, "ls", "--all")).stdout.trimEnd().split("\n")).toHaveLength(12);
  expect((await colloquy(dir, "ls", "--status", "archived")).stdout).toMatch(
    /^[0-9a-f]{6}\tNumber 11\tlead\tarchived\t–\t\d{4}-\d\d-\d\dT[\d:.]+Z\n$/,
  );
});

test("[K33] [K34] show and log print what was said and done", async () => {
  const script = `rules:
  - { when: { step: 1 }, do: [{ think: "Hm." }, { say: "I look." }, { call: { tool: list_dir } }, { call: { tool: read_file, input: { path: none.md } } }] }
  - { do: { say: "Found:\\n{{result}}" } }
`;
  const dir = project(script);
  for (const text of ["One", "Two", "Three"]) await inTerminal(dir, text === "One" ? ["new", text] : ["send", "@", text]);
  const { out } = await inTerminal(dir, ["show", "@"]);
  expect(out).toMatch(
    /^lead · One +[0-9a-f]{6}\n○ idle since \d\d:\d\d {3}course 1 · cost – · [\dk.]+ tokens · \d\.\d s of work\n {2}summary: One → Found: [^\n]*\n── last 6 of 15 \(all: --all\) ──\n/,
  );
  expect(out).not.toContain("Hm.");
  expect(out).toContain("lead      list_dir ✓   read_file none.md ✕\n");
  expect((await inTerminal(dir, ["show", "@", "--all"])).out.match(/Hm\./g)).toHaveLength(3);
  expect((await colloquy(dir, "show", "@")).stdout.split("\n")).toHaveLength(16);

  const log = (await colloquy(dir, "log", "@", "--after", "3")).stdout.trimEnd().split("\n");
  expect(log[0]).toMatch(/^4\t\d{4}-.*Z\tcall\.ended\t\{"type":"call\.ended"/);
  expect((await inTerminal(dir, ["log", "@"])).out).toMatch(/^ {4}1 {2}\d\d:\d\d:\d\d {2}dialog\.created {4}owner → lead: One\n/);
});

test("[K35] [K12] --follow ends when nobody is working, with one JSON value per line", async () => {
  const dir = project();
  await colloquy(dir, "new", "Hello");
  const { code, stdout } = await colloquy(dir, "log", "@", "--follow", "--json");
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { seq: number; event: { type: string } }).event.type);
  expect(code).toBe(0);
  expect(events).toEqual(["dialog.created", "message.added", "step.ended"]);
  expect(await inTerminal(dir, ["show", "@", "--follow"])).toMatchObject({ code: 0, err: "It is idle now.\n" });
});

ownTest("[K1] colloquy without arguments: at most ten lines, stalled dialogs first, and the next command", async () => {
  const dir = project("rules: [{ when: { text: slow }, do: [{ wait: 60s }, { say: done }] }, { do: { say: ok } }]\n");
  expect((await inTerminal(dir, [])).out).toMatch(/no dialogs yet · team: lead\nstart: colloquy new "…" /);
  await inTerminal(dir, ["new", "--timeout", "1ms", "slow"]);
  for (let nth = 0; nth < 12; nth++) await inTerminal(dir, ["new", `Quick ${nth}`]);
  await inTerminal(dir, ["stop", "Quick 3"]);
  const { out } = await inTerminal(dir, []);
  const lines = out.trimEnd().split("\n");
  expect(lines).toHaveLength(10);
  expect(lines[0]).toMatch(/ · 1 interrupted, 1 stopped, 11 idle · team: lead$/);
  expect(lines[1]).toMatch(/^ {2}◇ {2}[0-9a-f]{6} {2}slow /);
  expect(lines[2]).toMatch(/^ {2}■ {2}[0-9a-f]{6} {2}Quick 3 +lead +stopped: Stopped by owner\./);
  expect(lines[9]).toMatch(/^continue: colloquy resume [0-9a-f]{6} /);
  expect((await colloquy(dir)).stdout.split("\n")[0]).toMatch(/^[0-9a-f]{6}\tslow\tlead\tinterrupted\t/);
});

ownTest("[K39] [P1] doctor --fix makes the files for people again", async () => {
  const dir = project();
  const { rootId } = JSON.parse((await colloquy(dir, "new", "--json", "Hello")).stdout) as { rootId: string };
  const files = ["dialog.yaml", "latest.yaml"].map((name) => join(dir, ".dialogs/run", rootId, name));
  const before = files.map((file) => readFileSync(file, "utf8"));
  for (const file of files) rmSync(file);
  expect((await colloquy(dir, "doctor")).code).toBe(1); // it compares every file, and says which are missing
  expect(files.some((file) => existsSync(file))).toBe(false);
  expect((await colloquy(dir, "doctor", "--fix")).code).toBe(0);
  expect(files.map((file) => readFileSync(file, "utf8"))).toEqual(before);
});
