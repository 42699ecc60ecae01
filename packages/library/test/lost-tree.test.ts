import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askPerson, say, type Telling } from "@colloquy/testing";
import { toldModel } from "@colloquy/testing/internals";
import { describe, expect, onTestFinished, test } from "vitest";
import { defineAgent, inspectProject, openProject, type Project, repairProject } from "../src/index.ts";

const dreamer = defineAgent({ id: "dreamer", role: "You dream.", default: true, handles: ["prd", "task"], tools: ["tasks"] });

async function open(dir: string, telling: Telling): Promise<Project> {
  const model = toldModel(telling);
  return openProject({ dir, agents: [dreamer], model: model.name, findModel: () => model, report: () => undefined });
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-lost-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test("[L77] a section continues if its question is lost with its tree: the other dialog asks itself, and the task gets a new dialog", async () => {
  const dir = folder();
  const asks: Telling = {
    dreamer: ({ messages }) => (JSON.stringify(messages).includes("Shops") ? say("Then so.") : askPerson("For whom?")),
  };
  const before = await open(dir, asks);
  for (const title of ["One", "Two"]) await before.tasks.create({ title, kind: "prd", key: "search" });
  await before.tasks.run();
  const [asked, ...others] = await before.questions.list();
  expect(others).toEqual([]);
  const owner = asked?.dialog.rootId ?? "";
  await before.close();
  rmSync(join(dir, ".dialogs/run", owner), { recursive: true });
  await repairProject(dir);

  const after = await open(dir, asks);
  onTestFinished(() => after.close());
  await after.tasks.run();
  const asking = await after.questions.list();
  // The other one and the restarted one ask the same, which is one question.
  expect(asking).toMatchObject([{ headline: "For whom?" }]);
  expect(after.dialogs.list().map(({ rootId }) => rootId)).not.toContain(owner);
  await after.questions.answer(asking[0]?.id ?? "", "Shops");
  await after.tasks.run();
  expect(after.tasks.list().map(({ status }) => status)).toEqual(["closed", "closed"]);
});

test("[L77] a task in progress in a lost tree is released, and taken again", async () => {
  const dir = folder();
  const before = await open(dir, { dreamer: [askPerson("Which?")] });
  const task = await before.tasks.create({ title: "One", kind: "task" });
  await before.tasks.run();
  const [lost = ""] = before.tasks.get(task.id).dialogs;
  await before.close();
  rmSync(join(dir, ".dialogs/run", lost), { recursive: true });
  await repairProject(dir);

  const after = await open(dir, { dreamer: [say('{"status": "success", "summary": "Done."}')] });
  onTestFinished(() => after.close());
  await after.tasks.run();
  expect(after.tasks.get(task.id)).toMatchObject({ status: "closed", summary: "Done." });
});

describe("[L80] a project's own log is rebuilt from its trees", () => {
  const done: Telling = { dreamer: [say('{"status": "success", "summary": "Done."}')] };
  const asks: Telling = { dreamer: [askPerson("Which?")] };

  async function withTasks(dir: string): Promise<{ readonly closed: string; readonly asking: string }> {
    const first = await open(dir, done);
    const closed = await first.tasks.create({ title: "Tidy up", kind: "task" });
    await first.tasks.run();
    await first.close();
    const second = await open(dir, asks);
    const asking = await second.tasks.create({ title: "Choose a colour", kind: "task" });
    await second.tasks.run();
    await second.close();
    return { closed: closed.id, asking: asking.id };
  }

  test.each<[string, (path: string) => void]>([
    ["it is gone", (path) => rmSync(path)],
    ["it is empty", (path) => writeFileSync(path, "")],
    ["a line of it is gone", (path) => writeFileSync(path, readFileSync(path, "utf8").replace(/^.*\n/, ""))],
    ["half of a line is other text", (path) => writeFileSync(path, readFileSync(path, "utf8").replace(/"task.taken".*?\}/, "rubbish"))],
    ["it is no file", (path) => (rmSync(path), mkdirSync(path))],
  ])("%s", async (_, harm) => {
    const dir = folder();
    const { closed, asking } = await withTasks(dir);
    harm(join(dir, ".dialogs/project.jsonl"));
    expect(await inspectProject(dir)).not.toEqual([]);
    const [said] = await repairProject(dir);
    expect(said).toContain("project.jsonl is rebuilt from 2 dialogs");
    expect(await inspectProject(dir)).toEqual([]);
    const after = await open(dir, { dreamer: () => say('{"status": "success", "summary": "Blue."}') });
    onTestFinished(() => after.close());
    expect(after.tasks.list().map(({ id, status }) => [id, status])).toEqual(
      expect.arrayContaining([
        [closed, "closed"],
        [asking, "blocked"],
      ]),
    );
    const [question] = await after.questions.list();
    await after.questions.answer(question?.id ?? "", "Blue");
    await after.tasks.run();
    expect(after.tasks.get(asking)).toMatchObject({ status: "closed", title: "Choose a colour" });
    await after.dialogs.create({ content: "Something else." });
  });
});
