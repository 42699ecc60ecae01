import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { colloquy, folder, inTerminal, project } from "./support.ts";

test.each(["en", "zh"])(
  "[TK17] [TK18] the sprint plays from feedback to finished tasks with two questions on the way: %s",
  async (language) => {
    const dir = folder();
    await inTerminal(dir, ["init", "--template", "sprint", "--language", language, "--model", "scripted/demo", "--yes"]);
    const { stdout: feedback } = await colloquy(dir, "tasks", "add", "--kind", "feedback", "The search is slow");
    expect(feedback).toMatch(/^[0-9a-f]{6}\n$/);
    const status = async () =>
      JSON.parse((await colloquy(dir, "tasks", "--json")).stdout).tasks as { kind: string; title: string; status: string }[];
    const answerAll = async () => {
      const { questions } = JSON.parse((await colloquy(dir, "questions", "--json")).stdout) as {
        questions: { id: string; source: string }[];
      };
      for (const { id } of questions) expect((await colloquy(dir, "answer", id, "--choice", "1")).code).toBe(0);
      return questions.map(({ source }) => source);
    };
    expect((await colloquy(dir, "tasks", "run")).code).toBe(4);
    expect(await status()).toMatchObject([{ kind: "feedback", status: "blocked" }]);
    expect(await answerAll()).toEqual(["eval"]);
    expect((await colloquy(dir, "tasks", "ready")).stdout).toContain(feedback.trim());
    const second = await colloquy(dir, "tasks", "run");
    expect(second.code).toBe(4);
    expect(await answerAll()).toEqual(["execute"]);
    expect((await colloquy(dir, "tasks", "run")).code).toBe(0);
    const all = await status();
    expect(all.map((task) => task.kind).toSorted()).toEqual(["feedback", "plan", "prd", "task", "task"]);
    expect(all.every((task) => task.status === "closed")).toBe(true);
    // New tasks and requirements are scope changes, which people are notified of.
    const told = JSON.parse((await colloquy(dir, "notices", "--json")).stdout).notices as { id: string }[];
    expect(told).toHaveLength(4);
    expect((await colloquy(dir, "notices", "dismiss", told[0]?.id.slice(-6) ?? "")).stdout).toBe("1 marked as read.\n");
    expect((await colloquy(dir, "notices", "dismiss", "all")).stdout).toBe("3 marked as read.\n");
    expect((await colloquy(dir, "notices", "dismiss", "ffffff")).code).toBe(3);
    expect((await colloquy(dir, "notices")).stdout).toBe("");
    expect(readFileSync(join(dir, "prd/search.md"), "utf8")).toMatch(/^# /);
    expect(existsSync(join(dir, "notes/index.md")) && existsSync(join(dir, "notes/pages.md"))).toBe(true);
  },
  // Sixteen processes, one after the other.
  120_000,
);

test("[TK17] [TK19] tasks: add with what it waits for, change, show, close, and what is wrong", async () => {
  const dir = project();
  const first = (await colloquy(dir, "tasks", "add", "First", "--about", "All of it.")).stdout.trim();
  const second = (await colloquy(dir, "tasks", "add", "Second", "--after", first)).stdout.trim();
  expect((await colloquy(dir, "tasks", "ready")).stdout).toContain("First");
  const shown = await inTerminal(dir, ["tasks", "show", first]);
  expect(shown.out).toContain("All of it.");
  expect(shown.out).toContain("created by owner");
  expect(shown.out).toContain("autonomy: scopeChanges notify_and_proceed");
  const run = await colloquy(dir, "tasks", "run");
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('nobody takes tasks of kind "task"')]);
  expect((await colloquy(dir, "tasks", "change", first, "--after", second)).stderr).toContain("The task would wait for itself");
  expect((await colloquy(dir, "tasks", "change", first)).code).toBe(2);
  expect((await colloquy(dir, "tasks", "change", second, "--after", "none")).code).toBe(0);
  expect((await colloquy(dir, "tasks", "ready")).stdout).toContain("Second");
  expect((await colloquy(dir, "tasks", "change", second, "--title", "Other", "--about", "Less.", "--after", first)).stdout).toContain(
    "Other",
  );
  expect(JSON.parse((await colloquy(dir, "tasks", "show", second, "--json")).stdout)).toMatchObject({
    title: "Other",
    description: "Less.",
    dependsOn: [expect.stringMatching(new RegExp(`${first}$`))],
  });
  expect((await colloquy(dir, "tasks", "close", first, "--why", "not needed")).code).toBe(0);
  expect((await inTerminal(dir, ["tasks", "show", first])).out).toContain("not needed");
  expect((await colloquy(dir, "tasks", "ready")).stdout).toContain(second);
  expect((await colloquy(dir, "tasks", "close", first)).code).toBe(1);
  expect((await colloquy(dir, "tasks", "show", "ffffff")).code).toBe(3);
  expect((await colloquy(dir, "tasks", "sing")).code).toBe(2);
  expect((await colloquy(dir, "tasks", "--status", "lost")).code).toBe(2);
  expect((await colloquy(dir, "tasks", "add")).code).toBe(2);
});
