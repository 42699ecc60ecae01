import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { colloquy, inTerminal, ownTest, project, start, until } from "./support.ts";

/** Writes a file in its first step, and is slow in the second. */
const twoSteps = (wait: string) => `rules:
  - { when: { step: 1 }, do: [{ say: "First." }, { call: { tool: write_file, input: { path: first.txt, content: "written" } } }] }
  - { when: { step: 2 }, do: [{ wait: ${wait} }, { say: "Second." }] }
`;

const stepsIn = async (dir: string): Promise<readonly string[]> =>
  (await colloquy(dir, "log", "@")).stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t")[2] ?? "");

const faster = (dir: string): void => writeFileSync(join(dir, "scripts/play.yaml"), twoSteps("1ms"));

ownTest("[K28] killed in the middle: shown as interrupted, and resume continues without repeating anything", async () => {
  const dir = project(twoSteps("60s"));
  const running = start(dir, ["new", "Work"]);
  await until(() => existsSync(join(dir, "first.txt")));
  await running.says("\n");
  running.kill("SIGKILL");
  const id = (await running.ended).stdout.trim();
  faster(dir);

  expect((await inTerminal(dir, [])).out).toMatch(new RegExp(`◇ {2}${id} {2}Work +lead +interrupted .*\ncontinue: colloquy resume ${id} `));
  expect((await inTerminal(dir, ["show", "@"])).out).toContain(`◇ interrupted since`);
  expect(await colloquy(dir, "resume", "@", "--wait")).toEqual({ code: 0, stdout: "Second.\n", stderr: "" });
  const steps = (await stepsIn(dir)).filter((type) => type !== "step.attempted");
  expect(steps).toEqual(["dialog.created", "message.added", "step.ended", "call.ended", "step.ended"]);
});

ownTest("[C8] [K22] a dialog whose id was printed exists, whenever the process is killed", async () => {
  const dir = project("rules: [{ do: [{ wait: 60s }, { say: done }] }]\n");
  const printed: string[] = [];
  for (let nth = 0; nth < 5; nth++) {
    const running = start(dir, ["new", `Number ${nth}`]);
    await running.says("\n");
    running.kill("SIGKILL");
    printed.push((await running.ended).stdout.trim());
  }
  const listed = (await colloquy(dir, "ls")).stdout.trimEnd().split("\n");
  expect(listed.map((line) => line.split("\t")).map(([id, title, , state]) => [id, title, state])).toEqual(
    expect.arrayContaining(printed.map((id, nth) => [id, `Number ${nth}`, "interrupted"])),
  );
});

ownTest("[K29] [K9] Ctrl-C closes cleanly and says how to continue", async () => {
  const dir = project(twoSteps("60s"));
  const running = start(dir, ["new", "Work"]);
  await until(() => existsSync(join(dir, "first.txt")));
  running.kill("SIGINT");
  const { code, stdout, stderr } = await running.ended;
  expect({ code, stderr }).toEqual({
    code: 130,
    stderr: `Left in the middle. Nothing was lost. Continue: colloquy resume ${stdout.trim()}\n`,
  });
  expect(existsSync(join(dir, ".dialogs/lock"))).toBe(false);
  faster(dir);
  expect((await colloquy(dir, "resume", "@", "--wait")).stdout).toBe("Second.\n");
});

ownTest("[K26] [K9] --timeout leaves with a message, and resume continues", async () => {
  const dir = project(twoSteps("60s"));
  const left = await colloquy(dir, "new", "--wait", "--timeout", "700ms", "Work");
  const id = left.stderr.slice(0, 6);
  expect(left).toEqual({
    code: 1,
    stdout: "",
    stderr: `${id}\nNot finished after 700ms. Nothing was lost. Continue: colloquy resume ${id}\n`,
  });
  faster(dir);
  expect((await colloquy(dir, "resume", id, "--wait", "--timeout", "30s")).stdout).toBe("Second.\n");
  expect(readFileSync(join(dir, "first.txt"), "utf8")).toBe("written");
});

ownTest("[K40] while another process works, the message names it", async () => {
  const dir = project(twoSteps("60s"));
  const running = start(dir, ["new", "Work"]);
  await until(() => existsSync(join(dir, "first.txt")));
  const { code, stdout, stderr } = await colloquy(dir, "ls");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(
    new RegExp(
      `^Process ${running.pid} has had this project open since \\d\\d:\\d\\d\\. Wait until it ends, or stop it with kill ${running.pid}; then try again\\.\n$`,
    ),
  );
  expect((await colloquy(dir, "doctor")).code).toBe(1);
  expect((await colloquy(dir, "agents")).code).toBe(0);
  running.kill("SIGTERM");
  expect((await running.ended).code).toBe(130);
  expect((await colloquy(dir, "ls")).code).toBe(0);
});

test("[K27] a dialog that stops: exit code 1, the reason and the next command", async () => {
  const dir = project(
    'rules: [{ when: { text: bad }, do: { fail: { code: wrong_key, message: "The key is wrong." } } }, { when: { text: odd }, do: { say: x } }]\n',
  );
  const stopped = await colloquy(dir, "new", "--wait", "bad");
  const id = stopped.stderr.slice(0, 6);
  expect(stopped).toMatchObject({ code: 1, stdout: "" });
  expect(stopped.stderr).toMatch(new RegExp(`The key is wrong\\.\\sDialog ${id} is stopped; nothing was lost\\.`));
  expect(stopped.stderr.match(/colloquy resume/g)).toHaveLength(1);
  const missing = await colloquy(dir, "new", "no rule for this");
  expect(missing.code).toBe(1);
  expect(missing.stderr).toContain("Add one to scripts/play.yaml");
});

test("[K25] a terminal shows it think, speak and act; a pipe gets only what a person must know", async () => {
  const script = `rules:
  - { when: { step: 1 }, do: [{ fail: { code: overloaded, message: "Too busy.", retryAfter: 1ms, times: 1 } }, { think: "Where?" }, { say: "I look." }, { call: { tool: list_dir } }] }
  - { do: { say: "There are two." } }
`;
  const seen = await inTerminal(project(script), ["new", "--wait", "Look"]);
  expect(seen.err).toMatch(
    /^[0-9a-f]{6}\nlead {2}! Too busy\. Trying again in [01]\.\d s \(attempt 2\)\.\nlead {2}Where\?\n {6}I look\.\n {6}list_dir ✓(?: \d+\.\d s)?\nlead {2}There are two\.\n$/,
  );
  // On the same screen the answer is already shown.
  expect(seen.out).toBe("");
  const piped = await colloquy(project(script), "new", "--wait", "Look");
  expect(piped.stdout).toBe("There are two.\n");
  expect(piped.stderr).toMatch(/^[0-9a-f]{6}\nToo busy\. Trying again in [01]\.\d s\.\n$/);
});

test("[K46] a cost limit without a price is reported, and the work continues", async () => {
  const dir = project(undefined, {
    "colloquy.yaml": `models:
  mine: { provider: openai-compatible, baseURL: "http://127.0.0.1:9/v1", id: some-model }
defaults: { model: scripted/play }
agents: { lead: { role: "You lead.", default: true }, other: { role: "You wait.", model: mine } }
limits: { costPerTree: 20 }
`,
  });
  const { code, stdout, stderr } = await colloquy(dir, "new", "--wait", "Hello");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "I heard: Hello\n" });
  expect(stderr).toContain(
    'limits.costPerTree cannot be kept: no price for "some-model". Add price: {input: …, output: …} per million tokens, or set tokensPerTree. Until then costs show as "–".\n',
  );
});
