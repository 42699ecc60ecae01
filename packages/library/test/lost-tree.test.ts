import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askPerson, say, type Telling } from "@colloquy/testing";
import { toldModel } from "@colloquy/testing/internals";
import { expect, onTestFinished, test } from "vitest";
import { defineAgent, openProject, type Project, repairProject } from "../src/index.ts";

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

test("[L77] a section goes on whose question is lost with its tree: the other dialog asks itself, and the task gets a new dialog", async () => {
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
  // The other one and the one that begins anew ask the same: that is one question again.
  expect(asking).toMatchObject([{ headline: "For whom?" }]);
  expect(after.dialogs.list().map(({ rootId }) => rootId)).not.toContain(owner);
  await after.questions.answer(asking[0]?.id ?? "", "Shops");
  await after.tasks.run();
  expect(after.tasks.list().map(({ status }) => status)).toEqual(["closed", "closed"]);
});

test("[L77] a task that was being worked on in a lost tree is let go, and taken anew", async () => {
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
