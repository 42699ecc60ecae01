import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, say, type Telling, type World, world } from "@colloquy/testing/internals";
import type { MemoryBacking } from "@colloquy/store";
import { expect, onTestFinished, test } from "vitest";

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
const agents = [{ id: "lead", name: "Lead", role: "You lead.", default: true }];
const telling: Telling = {
  lead: ({ messages }) =>
    messages.length === 1 ? call("askHuman", { tellaskContent: "Red or blue?", options: ["Red", "Blue"] }) : say("Painted."),
};

function folder(retention: string): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-retention-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "colloquy.yaml"), `retention: ${retention}\n`);
  return dir;
}

async function painted(retention: string, disk?: MemoryBacking) {
  const w = await world({ telling, agents, dir: folder(retention), ...(disk && { disk }) });
  onTestFinished(() => w.project.close());
  const dialog = await w.project.dialogs.create({ content: "Paint the door" });
  await w.project.dialogs.quiet(dialog.id);
  const question = (await w.project.questions.list()).find((one) => one.dialog.rootId === dialog.id);
  await w.project.questions.answer(question?.id ?? "", { choice: "Blue", by: "anna" });
  await dialog.result();
  return { w, dialog, question };
}

const statuses = (w: World) => w.project.dialogs.list().map(({ status }) => status);

test("[CA20] [CA21] done dialogs are archived, and archived ones deleted, when their time has come", async () => {
  const { w, dialog } = await painted("{ archiveDone: 30d, deleteArchived: 180d, keepQuestions: false }");
  expect((await w.project.settings()).retention).toEqual({ archiveDone: 30 * DAY_MS, deleteArchived: 180 * DAY_MS, keepQuestions: false });
  await w.project.dialogs.done(dialog.id);
  const running = await w.project.dialogs.create({ content: "Stay" });
  await w.project.dialogs.quiet(running.id);
  w.clock.advance(60_000);
  w.clock.advance(29 * DAY_MS);
  await expect.poll(async () => (w.clock.advance(HOUR_MS), statuses(w))).toEqual(["running", "archived"]);
  const [line] = (await w.project.dialogs.events(dialog.id)).slice(-1);
  expect(line?.events.at(-1)).toMatchObject({ type: "dialog.archived", by: "retention" });
  expect(w.clock.now() - Date.UTC(2026, 0, 1)).toBeGreaterThan(30 * DAY_MS);
  w.clock.advance(179 * DAY_MS);
  await expect.poll(async () => (w.clock.advance(HOUR_MS), statuses(w))).toEqual(["running"]);
  await expect(w.project.dialogs.view(dialog.id)).rejects.toThrow("by retention");
  expect((await w.project.questions.list({ all: true })).map((one) => one.dialog.rootId)).toEqual([running.id]);
});

test("[CA20] [CA21] nothing is archived or deleted before its time, nor without the settings", async () => {
  for (const retention of ["{}", "{ deleteArchived: 400d, archiveDone: 400d }"]) {
    const { w, dialog } = await painted(retention);
    await w.project.dialogs.done(dialog.id);
    const other = await w.project.dialogs.create({ content: "Old" });
    await w.project.dialogs.archive(other.id);
    for (let hour = 0; hour < 5; hour += 1) {
      w.clock.advance(60 * DAY_MS);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(statuses(w)).toEqual(["archived", "completed"]);
  }
  await expect(world({ telling, agents, dir: folder("{ archiveDone: 30m }") })).rejects.toThrow("at least an hour");
});

test("[CA22] answered questions outlive their dialog, also after a restart", async () => {
  const { w, dialog, question } = await painted("{ deleteArchived: 1d }");
  const file: Uint8Array[] = [];
  await w.project.dialogs.archive(dialog.id);
  for await (const part of await w.project.dialogs.export(dialog.id)) file.push(part);
  w.clock.advance(60_000);
  w.clock.advance(2 * DAY_MS);
  await expect.poll(async () => (w.clock.advance(HOUR_MS), statuses(w))).toEqual([]);
  const check = async ({ project }: World) => {
    const kept = { id: question?.id, text: question?.text, status: "answered", answer: { choice: ["Blue"], by: "anna" } };
    expect(await project.questions.get(question?.id ?? "")).toMatchObject(kept);
    expect(await project.questions.list({ all: true })).toMatchObject([kept]);
    expect((await project.questions.page({ status: "answered" })).items).toMatchObject([kept]);
    expect((await project.questions.page({ status: "open" })).items).toEqual([]);
  };
  await check(w);
  await w.project.close();
  const again = await world({ telling, agents, dir: folder("{}"), disk: w.disk });
  await check(again);
  const parts = (async function* () {
    yield* file;
  })();
  await again.project.import(parts);
  expect(await again.project.questions.list({ all: true })).toHaveLength(1);
  await again.project.dialogs.delete(dialog.id);
  expect(await again.project.questions.list({ all: true })).toEqual([]);
  await again.project.close();
});
