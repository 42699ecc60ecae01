import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { openProject } from "@colloquy/library";
import { parse } from "yaml";
import { expect, test } from "vitest";
import { call, calls, say, type Telling, toldModel } from "@colloquy/testing/internals";

const agents = ["lead", "coder", "reviewer"].map((id) => ({ id, name: id, role: `You are the ${id}.`, default: id === "lead" }));
const open = (dir: string, telling: Telling) => {
  const model = toldModel(telling);
  return openProject({ dir, agents, model: model.name, findModel: () => model });
};

const files = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, encoding: "utf8" })
      .filter((name) => statSync(join(dir, name)).isFile() && /\.(yaml|json)$/.test(name) && !/snapshot/.test(name))
      .map((name) => [relative(dir, join(dir, name)), readFileSync(join(dir, name), "utf8")]),
  );

const telling: Telling = {
  lead: [
    calls(
      ["tellask", { targetAgentId: "coder", sessionSlug: "db", tellaskContent: "Design the schema" }],
      ["tellaskSessionless", { targetAgentId: "reviewer", tellaskContent: "Review it" }],
      ["add_reminder", { content: "ship on Friday" }],
    ),
    say("ok"),
  ],
  coder: [call("askHuman", { tellaskContent: "Which database?\nFor orders." }), say("done")],
  reviewer: [say("Looks good.")],
};

test("[P1][P3] the files of an idle tree say who waits for whom, and are restored identically after deletion", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-files-"));
  const project = await open(dir, telling);
  const dialog = await project.dialogs.create({ content: "Build it" });
  await project.dialogs.quiet(dialog.id);
  const tree = await project.dialogs.tree(dialog.id);
  const [coder, reviewer] = tree.children.map((node) => node.selfId);
  await project.close();

  const folder = join(dir, ".dialogs/run", dialog.id);
  const read = (path: string): unknown => parse(readFileSync(join(folder, path), "utf8"));
  expect(read("dialog.yaml")).toMatchObject({
    id: dialog.id,
    rootId: dialog.id,
    agentId: "lead",
    title: "Build it",
    taskDocPath: `tasks/${dialog.id}.tsk/`,
  });
  expect(read("latest.yaml")).toMatchObject({
    status: "running",
    needsDrive: false,
    generating: false,
    currentCourse: 1,
    participants: { lead: { run: { status: "paused" } } },
  });
  expect(read("subdlg.yaml")).toMatchObject({ pending: [{ subdialogId: coder, agentId: "coder", kind: "tellask", sessionSlug: "db" }] });
  expect(read("registry.yaml")).toMatchObject({ "coder!db": { subdialogId: coder, agentId: "coder", tellaskSession: "db", locked: true } });
  expect(read("reminders.json")).toEqual([{ id: 1, content: "ship on Friday" }]);
  expect(existsSync(join(folder, "q4h.yaml"))).toBe(false);
  expect(read(`subdialogs/${coder}/q4h.yaml`)).toMatchObject({
    questions: [{ mentionList: "Which database?", tellaskContent: "For orders.", callSiteRef: { course: 1 } }],
  });
  expect(read(`subdialogs/${coder}/dialog.yaml`)).toMatchObject({
    supdialogId: dialog.id,
    sessionSlug: "db",
    assignmentFromSup: { askerDialogId: dialog.id, askerAgentId: "lead", kind: "tellask" },
  });
  expect(read(`subdialogs/${reviewer}/response.yaml`)).toMatchObject({ to: dialog.id, marker: "【最终完成】", content: "Looks good." });

  const before = files(folder);
  for (const path of Object.keys(before)) rmSync(join(folder, path));
  const again = await open(dir, telling);
  await again.rewriteFiles(dialog.id);
  await again.close();
  expect(files(folder)).toEqual(before);
});

test("[P6] assignments, delegations and responses are included in full", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-files-"));
  const prompt = "Review it\n\nEvery line of it.";
  const project = await open(dir, {
    lead: [
      call("delegate", {
        delegations: [
          { recipient: "reviewer", prompt },
          { recipient: "coder", prompt: "Build it\nof brick" },
        ],
        wait: "all",
      }),
      say("ok"),
    ],
    coder: [call("askHuman", { tellaskContent: "Which?" }), say("done")],
    reviewer: [say("Looks good.\nAll of it.")],
  });
  const dialog = await project.dialogs.create({ content: "Build it" });
  await project.dialogs.quiet(dialog.id);
  const [reviewer, coder] = (await project.dialogs.tree(dialog.id)).children.map((node) => node.selfId);
  const run = {
    pendingDelegations: [{ dialogId: coder, recipient: "coder", prompt: "Build it\nof brick" }],
    completedDelegations: [{ dialogId: reviewer, recipient: "reviewer", response: "Looks good.\nAll of it." }],
  };
  expect((await dialog.view()).participants["lead"]).toMatchObject({ run });
  await project.close();
  const folder = join(dir, ".dialogs/run", dialog.id);
  const read = (path: string): unknown => parse(readFileSync(join(folder, path), "utf8"));
  expect(read("latest.yaml")).toMatchObject({ participants: { lead: { run } } });
  expect(read(`subdialogs/${coder}/dialog.yaml`)).toMatchObject({ assignmentFromSup: { tellaskContent: "Build it\nof brick" } });
  // The reviewer has responded.
  expect(read(`subdialogs/${reviewer}/dialog.yaml`)).toMatchObject({ assignmentFromSup: { askerDialogId: dialog.id, kind: "delegate" } });
});

test("[P2] the same folder twice in one process is the same handle", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-files-"));
  const [one, two] = await Promise.all([open(dir, telling), open(dir, telling)]);
  expect(two).toBe(one);
  await one.close();
  const three = await open(dir, telling);
  expect(three).not.toBe(one);
  await three.close();
});

test("[P4] the folder follows the status: run, done, archive", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-files-"));
  const project = await open(dir, { lead: [say("ok"), say("again")] });
  const dialog = await project.dialogs.create({ content: "Hello" });
  await dialog.result();
  await dialog.done();
  await project.close();
  expect(existsSync(join(dir, ".dialogs/done", dialog.id, "course-001.jsonl"))).toBe(true);
  const again = await open(dir, { lead: [say("ok"), say("again")] });
  await again.dialogs.send(dialog.id, { content: "more" });
  expect(await again.dialogs.result(dialog.id)).toBe("again");
  await again.dialogs.archive(dialog.id);
  await again.close();
  expect(existsSync(join(dir, ".dialogs/archive", dialog.id, "course-001.jsonl"))).toBe(true);
  expect(existsSync(join(dir, ".dialogs/run", dialog.id))).toBe(false);
});

test("[P5] a new course of the main dialog is a new file that starts with a checkpoint", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-files-"));
  const clear: Telling = { lead: ({ course }) => (course === 1 ? call("clear_mind", { reminder_content: "go on" }) : say("fresh")) };
  const project = await open(dir, clear);
  const dialog = await project.dialogs.create({ content: "Hello" });
  expect(await dialog.result()).toBe("fresh");
  await project.close();
  const folder = join(dir, ".dialogs/run", dialog.id);
  const [first] = readFileSync(join(folder, "course-002.jsonl"), "utf8").split("\n");
  expect(JSON.parse(first ?? "")).toMatchObject({ v: 1, checkpoint: { state: { rootId: dialog.id } } });
  const again = await open(dir, { lead: [say("one more")] });
  await again.dialogs.send(dialog.id, { content: "more" });
  await again.dialogs.quiet(dialog.id);
  expect((await again.dialogs.view(dialog.id)).course).toBe(2);
  await again.close();
});
