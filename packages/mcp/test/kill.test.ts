import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { ALLOWED, diaryOf, folder, isAlive, small } from "./support.ts";

const COMMAND_LINE = fileURLToPath(import.meta.resolve("@colloquy/cli"));

/** The command line as a separate process, with the scripted model. */
function start(dir: string, ...args: readonly string[]): ChildProcess & { readonly output: Promise<string> } {
  const env = { PATH: process.env["PATH"] ?? "", HOME: dir, COLLOQUY_TRUST: "1" };
  const child = spawn(process.execPath, [COMMAND_LINE, "-C", dir, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let words = "";
  child.stdout.on("data", (text: Buffer) => (words += text.toString()));
  child.stderr.on("data", (text: Buffer) => (words += text.toString()));
  return Object.assign(child, { output: new Promise<string>((resolve) => child.on("close", () => resolve(words))) });
}

function project(mode: string, tool: string): { readonly dir: string; readonly diary: string } {
  const dir = folder();
  const diary = join(dir, "diary");
  mkdirSync(join(dir, "scripts"));
  const agents = { lead: { role: "You lead.", tools: ["small"] } };
  writeFileSync(
    join(dir, "colloquy.yaml"),
    JSON.stringify({ defaults: { model: "scripted/play" }, agents, mcp: { servers: { small: small(mode, diary) } }, permissions: ALLOWED }),
  );
  const again = { when: { text: "unknown" }, times: 3, do: { call: { tool, input: { to: "Anna" } } } };
  const first = { when: { step: 1 }, do: { call: { tool, input: { to: "Anna" } } } };
  writeFileSync(join(dir, "scripts/play.yaml"), JSON.stringify({ rules: [first, again, { do: { say: "I got: {{text}}" } }] }));
  return { dir, diary };
}

const serverIn = (diary: string): number =>
  Number(
    diaryOf(diary)
      .findLast((line) => line.startsWith("started"))
      ?.split(" ")[1],
  );

test("[MC12] if we are killed in the middle of a call, no server process stays behind", async () => {
  const { dir, diary } = project("hangs", "small__pay");
  const doomed = start(dir, "new", "--wait", "Pay");
  await expect.poll(() => diaryOf(diary)).toContain("call pay");
  const server = serverIn(diary);
  expect(isAlive(server)).toBe(true);
  doomed.kill("SIGKILL");
  await expect.poll(() => isAlive(server)).toBe(false);
});

test("[MC13][TQ7] a question asked by one process, answered in another and used by a third call is asked once", async () => {
  const { dir, diary } = project("asks", "small__pay");
  const first = await start(dir, "new", "--wait", "Pay").output;
  expect(first).toContain("Really pay Anna?");
  expect(isAlive(serverIn(diary))).toBe(false);
  const [id = ""] = (await start(dir, "questions").output).split("\t");
  expect(await start(dir, "answer", id, "perhaps").output).toContain("Invalid: sure: yes or no");
  expect(await start(dir, "answer", id, "--choice", "1", "--wait").output).toContain(
    'I got: Anna: {"action":"accept","content":{"sure":true}}',
  );
  expect(diaryOf(diary).filter((line) => line.startsWith("paid"))).toEqual(["paid Anna"]);
  expect(isAlive(serverIn(diary))).toBe(false);
});

test("[MC16] doctor reports the state of each server", async () => {
  const { dir } = project("well", "small__pay");
  expect(await start(dir, "doctor").output).toContain("well\tmcp\tsmall: 4 tools, for lead: small__look, small__pay");
  const broken = project("quits", "small__pay");
  expect(await start(broken.dir, "doctor").output).toMatch(/^problem\tmcp\tsmall is not available\. .*cannot find my settings/m);
});
