import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openProject, type Project } from "@colloquy/library";
import type { ModelRequest } from "@colloquy/models";
import { fingerprint } from "@colloquy/runtime";
import type { StreamPart } from "@colloquy/store";
import { call, say, type Telling, toldModel } from "@colloquy/testing/internals";
import { expect, onTestFinished, test } from "vitest";
import { openPostgresStore, storeAddress } from "../src/index.ts";
import { newDatabase } from "./database.ts";

interface FolderNode {
  readonly dir: string;
  readonly project: Project;
  readonly requests: readonly ModelRequest[];
  readonly reports: readonly string[];
  readonly close: () => Promise<void>;
  /** From now on the process dies right after a commit that changes a document. Resolves when it has died. */
  readonly dieAfterChange: () => Promise<void>;
  /** The text of a file of its folder. */
  readonly file: (path: string) => string | undefined;
  readonly write: (path: string, text: string) => void;
}

const newFolder = () => mkdtempSync(join(tmpdir(), "colloquy-documents-"));

/** A node with a folder of its own. */
async function nodeIn(url: string, telling: Telling, dir = newFolder()): Promise<FolderNode> {
  mkdirSync(join(dir, ".dialogs"), { recursive: true });
  const store = await openPostgresStore(storeAddress(url, "shop"), { place: dir, claims: "all" });
  const requests: ModelRequest[] = [];
  const reports: string[] = [];
  const model = toldModel(telling, requests);
  const project = await openProject({
    dir,
    store,
    agents: [{ id: "lead", name: "Lead", role: "You lead.", tools: [], default: true }],
    model: model.name,
    findModel: () => model,
    report: (message) => void reports.push(message),
  });
  onTestFinished(() => store.abandon());
  const at = (path: string) => join(dir, path);
  return {
    dir,
    project,
    requests,
    reports,
    close: () => project.close(),
    dieAfterChange: () =>
      new Promise((died) => {
        const commit = store.commit.bind(store);
        store.commit = async (parts, at) => {
          const committed = await commit(parts, at);
          if (!parts.some(({ documents }) => documents)) return committed;
          await store.abandon();
          died();
          return new Promise(() => undefined);
        };
      }),
    file: (path) => (existsSync(at(path)) ? readFileSync(at(path), "utf8") : undefined),
    write(path, text) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
    },
  };
}

const GOALS = "tasks/shop.tsk/goals.md";
const talks: Telling = { lead: [say("One."), say("Two."), say("Three."), say("Four.")] };
const shown = ({ requests }: FolderNode) => JSON.stringify(requests.at(-1) ?? {});
const goalsAt = async ({ project }: FolderNode, id: string) => (await project.dialogs.taskdoc(id)).sections.goals?.text;

test("[PG37] what a person changes on one node is in the other node's folder, prompts and answers", async () => {
  const { url } = await newDatabase();
  const [a, b] = [await nodeIn(url, talks), await nodeIn(url, talks)];
  const dialog = await a.project.dialogs.create({ content: "Hello", taskDocPath: "tasks/shop.tsk/" });
  await dialog.result();
  await a.project.dialogs.changeMind(dialog.id, "goals", "Open on Monday.");
  expect(a.file(GOALS)).toBe("Open on Monday.");
  await expect.poll(() => goalsAt(b, dialog.id)).toBe("Open on Monday.");
  expect(b.file(GOALS)).toBe("Open on Monday.");
  // Read before: later changes arrive as well.
  await a.project.dialogs.changeMind(dialog.id, "goals", "Open on Tuesday.");
  await expect.poll(() => goalsAt(b, dialog.id)).toBe("Open on Tuesday.");
  await b.project.dialogs.get(dialog.id).send("And now?");
  expect(await b.project.dialogs.get(dialog.id).result()).toBe("Two.");
  expect(shown(b)).toContain("Open on Tuesday.");
  expect(b.reports).toEqual([]);
});

test("[PG37] what an agent remembers on one node, agents on the other one know", async () => {
  const { url } = await newDatabase();
  const remember = call("remember", { scope: "team", path: "rules.md", content: "Never on Sundays." });
  const a = await nodeIn(url, { lead: [remember, say("Noted.")] });
  const dialog = await a.project.dialogs.create({ content: "Remember it" });
  expect(await dialog.result()).toBe("Noted.");
  const b = await nodeIn(url, talks);
  const other = await b.project.dialogs.create({ content: "What are the rules?" });
  await other.result();
  expect(shown(b)).toContain("Never on Sundays.");
  expect(b.file("memory/team/rules.md")).toBe("Never on Sundays.");
});

test("[PG37] documents change with their commit or not at all, once, and only from the version that was seen", async () => {
  const { url } = await newDatabase();
  const [one, two] = [await openPostgresStore(storeAddress(url, "shop")), await openPostgresStore(storeAddress(url, "shop"))];
  onTestFinished(() => Promise.all([one.abandon(), two.abandon()]).then(() => undefined));
  const part = (expected: number, from: string, text: string | undefined): StreamPart => ({
    stream: "project",
    expected,
    events: [{ type: "test" } as never],
    documents: [{ path: "memory/a.md", from: from && fingerprint(from), to: text === undefined ? "" : fingerprint(text), text }],
  });
  const stored = async () => (await two.documents.below(["memory"])).map(({ text }) => text);
  await one.commit([part(0, "", "First")], 1);
  expect(await stored()).toEqual(["First"]);
  await expect(two.commit([part(0, "First", "Never")], 1)).rejects.toMatchObject({ code: "log_conflict" });
  expect(await stored()).toEqual(["First"]);
  await one.commit([part(1, "Unknown", "Never")], 1);
  expect(await stored()).toEqual(["First"]);
  await one.commit([part(2, "First", "Second")], 1);
  expect(await stored()).toEqual(["Second"]);
  await expect.poll(() => two.documents.hasNews).toBe(true);
  expect((await two.documents.since()).map(({ text }) => text)).toEqual(["Second"]);
  expect(two.documents.hasNews).toBe(false);
  await one.commit([part(3, "Second", undefined)], 1);
  expect(await stored()).toEqual([]);
  expect(await two.documents.swap({ path: "memory/a.md", from: fingerprint("Second"), to: fingerprint("x"), text: "x" })).toBe("taken");
});

test("[PG37] [C8] a node dies right after the commit of a change: it is made, and the next node records that", async () => {
  const { url } = await newDatabase();
  const a = await nodeIn(url, talks);
  const dialog = await a.project.dialogs.create({ content: "Hello", taskDocPath: "tasks/shop.tsk/" });
  await dialog.result();
  const died = a.dieAfterChange();
  void a.project.dialogs.changeMind(dialog.id, "goals", "Open on Monday.");
  await died;
  const b = await nodeIn(url, talks);
  expect(await goalsAt(b, dialog.id)).toBe("Open on Monday.");
  const again = b.project.dialogs.get(dialog.id);
  await again.send("And now?");
  expect(await again.result()).toBe("Two.");
  expect(shown(b)).toContain("Open on Monday.");
  const events = (await b.project.dialogs.events(dialog.id)).flatMap((line) => line.events);
  expect(events.filter(({ type }) => type === "document.changed")).toHaveLength(1);
  expect(events.find(({ type }) => type === "document.written")).toMatchObject({ to: fingerprint("Open on Monday.") });
  expect(events.find(({ type }) => type === "document.written")).not.toHaveProperty("taken");
});

test("[PG38] a file edited by hand on one node reaches the other one; so does a file that is made or removed", async () => {
  const { url } = await newDatabase();
  const [a, b] = [await nodeIn(url, talks), await nodeIn(url, talks)];
  const dialog = await a.project.dialogs.create({ content: "Hello", taskDocPath: "tasks/shop.tsk/" });
  await dialog.result();
  await a.project.dialogs.changeMind(dialog.id, "goals", "Open on Monday.");
  await expect.poll(() => goalsAt(b, dialog.id)).toBe("Open on Monday.");
  b.write(GOALS, "Open on Friday, says Anna.");
  b.write("memory/team/new.md", "Bread at eight.");
  await b.project.dialogs.get(dialog.id).send("Look again");
  await b.project.dialogs.get(dialog.id).result();
  expect(shown(b)).toContain("Open on Friday");
  await expect.poll(() => goalsAt(a, dialog.id)).toBe("Open on Friday, says Anna.");
  await expect.poll(async () => (await a.project.memory()).map(({ text }) => text)).toEqual(["Bread at eight."]);
  rmSync(join(a.dir, "memory/team/new.md"));
  await a.project.memory();
  await expect.poll(() => b.project.memory()).toEqual([]);
  expect(b.file("memory/team/new.md")).toBeUndefined();
});

test("[PG38] of two changes the one in the database counts, and the other one is kept and reported", async () => {
  const { url } = await newDatabase();
  const [a, b] = [await nodeIn(url, talks), await nodeIn(url, talks)];
  const dialog = await a.project.dialogs.create({ content: "Hello", taskDocPath: "tasks/shop.tsk/" });
  await dialog.result();
  await a.project.dialogs.changeMind(dialog.id, "goals", "Open on Monday.");
  await expect.poll(() => goalsAt(b, dialog.id)).toBe("Open on Monday.");
  b.write(GOALS, "Mine");
  await a.project.dialogs.changeMind(dialog.id, "goals", "Theirs");
  await expect.poll(() => goalsAt(b, dialog.id)).toBe("Theirs");
  expect(b.file(`${GOALS}.mine-${fingerprint("Mine")}`)).toBe("Mine");
  expect(b.reports).toEqual([expect.stringContaining(`${GOALS} was changed elsewhere while it was edited here.`)]);
  expect(await goalsAt(a, dialog.id)).toBe("Theirs");
});

test("[PG39] a new folder, and one that lost its files, get them from the database", async () => {
  const { url } = await newDatabase();
  const a = await nodeIn(url, talks);
  const dialog = await a.project.dialogs.create({ content: "Hello", taskDocPath: "tasks/shop.tsk/" });
  await dialog.result();
  await a.project.dialogs.changeMind(dialog.id, "goals", "Open on Monday.");
  rmSync(join(a.dir, "tasks"), { recursive: true });
  expect(await goalsAt(a, dialog.id)).toBe("Open on Monday.");
  await a.close();
  rmSync(join(a.dir, "tasks"), { recursive: true });
  const again = await nodeIn(url, talks, a.dir);
  expect(await goalsAt(again, dialog.id)).toBe("Open on Monday.");
  const elsewhere = await nodeIn(url, talks);
  elsewhere.write(GOALS, "From another copy of the repository");
  expect(await goalsAt(elsewhere, dialog.id)).toBe("Open on Monday.");
  expect(elsewhere.file(`${GOALS}.mine-${fingerprint("From another copy of the repository")}`)).toBeDefined();
});
