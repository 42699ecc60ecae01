import { expect, test } from "vitest";
import { chatAnswer } from "../src/dialogs/chat-answer.ts";
import { ChatSession } from "../src/dialogs/chat-session.ts";
import { Interrupts } from "../src/dialogs/interrupts.ts";
import { ownAccess } from "../src/access/own-access.ts";
import { openProject, type QuestionView } from "@colloquy/library";
import { colloquy, ended, ownTest, paper, project, until } from "./support.ts";
import { team } from "./team.ts";

const chat = (dir: string, lines: readonly string[], ...args: readonly string[]) =>
  ended(dir, ["chat", ...args], { input: lines.map((line) => `${line}\n`).join("") });

test("[K73] a line is a message, and the first starts a dialog; the next is handled when all is quiet", async () => {
  const dir = project();
  const { code, stdout } = await chat(dir, ["Hello", "", "Again"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "lead  I heard: Hello\nlead  I heard: Again\n" });
  expect((await colloquy(dir, "ls")).stdout.trimEnd().split("\n")).toHaveLength(1);
  expect((await chat(dir, ["Once more"], "@")).stdout).toBe("lead  I heard: Once more\n");
});

test("[K73] [K54] below a question a number chooses, other text answers; an open one is exit code 4", async () => {
  const dir = team();
  const asked = await chat(dir, ["Build orders"]);
  expect(asked.code).toBe(4);
  expect(asked.stdout).toMatch(/◆ Which database for orders\?\n {10}Coder · Build orders · now · 1 waits\n/);
  const chosen = await chat(dir, ["3", "2", "thanks"], "@");
  expect(chosen.stdout).toContain("There is no choice 3: type 1 to 2.\n");
  expect(chosen.stdout).toContain("All is done. The schema is for SQLite.");
  expect(chosen.stdout).toContain("lead heard: thanks");
  expect(chosen.code).toBe(0);
  expect((await chat(dir, ["Build orders", "Paper, please"])).stdout).toContain("The schema is for Paper, please.");
});

test("[K75] commands: questions, back, later, stop, resume, help and quit; a refusal is printed and the chat continues", async () => {
  const dir = team();
  const { code, stdout } = await chat(dir, [
    "Build orders",
    "/questions",
    "/back How many?",
    "/later",
    "a message",
    "/stop",
    "/resume",
    "/resume",
    "/help",
    "/quit",
    "never said",
  ]);
  expect(stdout).toContain("answer: colloquy answer ");
  expect(stdout).toContain("coder     Two writers at most.\n");
  expect(stdout).toMatch(/■ [0-9a-f]{6} is stopped\. \/resume continues it\.\n/);
  expect(stdout).toMatch(/Dialog [0-9a-f]{6} is not stopped\.\n/);
  expect(stdout).toContain("/back TEXT  ask about the question");
  expect(stdout).not.toContain("never said");
  expect((await colloquy(dir, "show", "@")).stdout).toContain("\tunread\tyou\ta message");
  expect(code).toBe(4);
});

test("[K73] [K27] a stopped dialog is reported, also by the exit code", async () => {
  const dir = project('rules: [{ do: { fail: { code: wrong_key, message: "The key is wrong." } } }]\n');
  const { code, stdout } = await chat(dir, ["hi"]);
  expect(code).toBe(1);
  expect(stdout).toContain("The key is wrong.");
});

const approval = { id: "a".repeat(32), shown: "aaaaaa.0", kind: "approval", options: [] } as unknown as QuestionView;

test.each(["yes", "y", "", "1", "ok approve"])("[K74] an approval is not given by %j", (line) => {
  expect(chatAnswer(approval, line)).toHaveProperty("hint");
});

test("[K74] an approval takes the whole word, and carries the version that was shown", async () => {
  const calls: unknown[] = [];
  const fake = {
    approve: (...args: unknown[]) => calls.push(["approve", ...args]),
    deny: (...args: unknown[]) => calls.push(["deny", ...args]),
  };
  for (const line of ["approve", "deny", "deny not today"]) {
    const answer = chatAnswer(approval, line);
    if ("decide" in answer) await answer.decide(fake as never);
  }
  const shown = "aaaaaa.0";
  expect(calls).toEqual([
    ["approve", approval.id, { shown }],
    ["deny", approval.id, { shown }],
    ["deny", approval.id, { shown, why: "not today" }],
  ]);
});

ownTest("[K74] a line typed before the question appeared is a message", async () => {
  const dir = team();
  await colloquy(dir, "new", "Build orders");
  const opened = await openProject({ dir, drive: "touched", env: {} });
  const [entry] = opened.dialogs.list();
  if (!entry) throw new Error("no dialog");
  let nowMs = Date.now();
  const out = paper(true);
  const given: string[] = [];
  const shell = {
    cwd: dir,
    env: {},
    out,
    err: paper(true),
    canAsk: true,
    interrupts: new Interrupts(() => undefined),
    now: () => nowMs,
    read: () => Promise.resolve(""),
  };
  async function* lines(): AsyncGenerator<string, void, undefined> {
    nowMs += 100;
    yield "1";
    await until(() => (out.text.match(/ 1 waits/g) ?? []).length === 2);
    nowMs += 500;
    yield "2";
    await until(() => out.text.includes("SQLite."));
  }
  const input = { isTerminal: true, lines: lines(), prompt: (text: string) => void given.push(text), close: () => undefined };
  const place = { rootId: entry.rootId, selfId: entry.rootId as never };
  await new ChatSession({ shell: { ...shell, input: () => input } }, ownAccess(opened, false), input, { place }).run();
  await opened.close();
  expect(given[0]).toMatch(/^answer [0-9a-f]{6} › $/);
  expect((await colloquy(dir, "show", "@")).stdout).toContain("\tyou\t1\n");
  expect(out.text).toContain("The schema is for SQLite.");
});
