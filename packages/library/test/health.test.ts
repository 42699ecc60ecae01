import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyTree, treeProblems } from "@colloquy/core";
import { RootId } from "@colloquy/schema";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Breath } from "../src/transfer/breath.ts";
import { checkTree } from "../src/health/check-tree.ts";
import { copyOf, folderOf, openIn, template } from "./damaged-project.ts";

let origin: { readonly dir: string; readonly trees: readonly string[] };
beforeAll(async () => void (origin = await template()));
afterAll(() => rmSync(origin.dir, { recursive: true, force: true }));

test("[HE1] a sound project has no findings, whatever its trees are doing, and nothing is changed", async () => {
  await using project = await openIn(copyOf(origin.dir));
  await project.drive();
  const before = project.health().commits;
  const report = await project.checkHealth();
  expect(report).toMatchObject({ trees: origin.trees.length, findings: [] });
  expect(report.bytes).toBeGreaterThan(1_000);
  expect(project.health().commits).toBe(before);
  for (const question of await project.questions.list()) await project.questions.answer(question.id, "That one.");
  for (const rootId of origin.trees) await project.dialogs.quiet(rootId);
  expect((await project.checkHealth()).findings).toEqual([]);
});

test("[HE2] an event that cannot be folded is found with its line and the repair; it is reported once, and no other tree is affected", async () => {
  const dir = copyOf(origin.dir);
  const [rootId = ""] = origin.trees;
  const file = join(folderOf(dir, rootId), "course-001.jsonl");
  // Lines without a checksum are those of earlier versions, and are read.
  const lines = readFileSync(file, "utf8").replaceAll(/,"crc":"[0-9a-f]{8}"\}$/gm, "}");
  writeFileSync(file, lines.replace('"type":"message.added"', '"type":"message.lost"'));
  const reports: string[] = [];
  await using project = await openIn(dir, { report: (message) => void reports.push(String(message)) });
  const { findings } = await project.checkHealth();
  expect(findings).toHaveLength(1);
  expect(findings[0]).toMatch(/event \d+ cannot be folded: there is no event "message\.lost"/);
  expect(findings[0]).toMatch(/course-001\.jsonl:\d+/);
  expect(findings[0]).toContain("colloquy doctor");
  await project.checkHealth();
  expect(reports.filter((one) => one.includes("cannot be folded: there is no event"))).toHaveLength(1);
  expect((await project.settings()).notices.some((one) => one.includes("course-001.jsonl"))).toBe(true);
});

test("[HE2] a state or an index entry that differs from the log is found, with what differs", async () => {
  await using project = await openIn(copyOf(origin.dir));
  const [rootId = ""] = origin.trees;
  const id = RootId.parse(rootId);
  const lines = await project.dialogs.events(id);
  const { foldTree } = await import("@colloquy/runtime");
  const real = foldTree(id, { base: undefined, lines });
  const entry = project.dialogs.entry(id);
  const check = (change: object, listed: object | undefined) => {
    const store = { read: (_: string, after: number, limit?: number) => project.lines(id, after, limit), entry: () => listed };
    return checkTree({ store: store as never, breath: new Breath(), look: async (_, see) => see({ ...real, ...change }) }, id);
  };
  expect((await check({}, entry)).problems).toEqual([]);
  const { problems } = await check({ owner: "somebody else", openQuestions: emptyTree(id).openQuestions }, { ...entry, questions: [] });
  expect(problems).toEqual([
    expect.stringContaining("differs from its log in owner"),
    expect.stringContaining("differs from its log in openQuestions"),
    expect.stringContaining("its entry in the index differs from its log in questions"),
  ]);
});

test("[HE1] what cannot be true of a tree is said: hierarchy, asks, registry, questions", async () => {
  await using project = await openIn(copyOf(origin.dir));
  const [asking = "", , waiting = ""] = origin.trees;
  const { foldTree } = await import("@colloquy/runtime");
  const tree = async (id: string) => foldTree(RootId.parse(id), { base: undefined, lines: await project.dialogs.events(id) });
  const first = await tree(asking);
  const second = await tree(waiting);
  expect([...treeProblems(first), ...treeProblems(second)]).toEqual([]);
  expect(treeProblems({ ...first, openQuestions: emptyTree(first.rootId).openQuestions })).toEqual(
    expect.arrayContaining([expect.stringContaining("is not listed"), expect.stringContaining("which is closed")]),
  );
  const [side] = [...second.dialogs.values()].filter((dialog) => dialog.side);
  expect(treeProblems({ ...second, dialogs: second.dialogs.delete(side?.id ?? "") })).toEqual(
    expect.arrayContaining([expect.stringContaining("which does not exist")]),
  );
  const session = { dialog: side?.id, agent: side?.agent, slug: "api", createdAt: 0, lastAccessed: 0 };
  expect(treeProblems({ ...second, registry: second.registry.set("coder!api", session as never) })).toEqual([
    expect.stringContaining("the session coder!api is held by"),
  ]);
});
