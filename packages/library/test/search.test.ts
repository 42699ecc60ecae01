import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openProject, type Project } from "@colloquy/library";
import { expect, onTestFinished, test } from "vitest";

const SCRIPT = `rules:
  - when: { result: askHuman }
    do: { say: "We take it." }
  - when: { text: decide }
    do: { call: { tool: askHuman, input: { headline: "Which database?", tellaskContent: "For the orders.", options: [PostgreSQL, SQLite] } } }
  - do: { say: "I heard: {{text}}" }
`;

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-search-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, "scripts"));
  writeFileSync(join(dir, "scripts/play.yaml"), SCRIPT);
  writeFileSync(join(dir, "colloquy.yaml"), "defaults: { model: scripted/play }\nagents:\n  lead: { role: You lead., default: true }\n");
  return dir;
}

const open = (dir: string) => openProject({ dir, report: () => undefined });
const tell = async (project: Project, content: string, title?: string) => {
  const dialog = await project.dialogs.create({ content, ...(title !== undefined && { title }) });
  await project.dialogs.quiet(dialog.id);
  return dialog.id;
};
const find = async (project: Project, query: string) =>
  (await project.search(query, { whole: true })).hits.map(({ by, snippet }) => `${by}: ${snippet}`);

test("[SV80] search finds words in all texts of people and agents", async () => {
  await using project = await open(folder());
  const id = await tell(project, "Please decide about the store", "Orders API");
  const [question] = await project.questions.list();
  if (!question) throw new Error("nothing was asked");
  await project.questions.answer(question.id, { choice: ["SQLite"], content: "Small is fine", by: "anna" });
  await project.dialogs.quiet(id);
  expect(await find(project, "orders api")).toEqual(["owner: ⟦Orders⟧ ⟦API⟧"]);
  expect(await find(project, "THE store")).toEqual(["owner: Please decide about ⟦the⟧ ⟦store⟧"]);
  expect(await find(project, "which database")).toEqual(["lead: ⟦Which⟧ ⟦database⟧? For the orders."]);
  expect(await find(project, "small")).toEqual(["anna: SQLite ⟦Small⟧ is fine"]);
  expect(await find(project, "take it")).toEqual(["lead: We ⟦take⟧ ⟦it⟧."]);
  expect(await find(project, "store elephant")).toEqual([]);
  expect(await find(project, " ")).toEqual([]);
  const { hits } = await project.search("database", { whole: true });
  expect(hits).toMatchObject([{ rootId: id, selfId: id, title: "Orders API", questionId: question.id, seq: question.seq }]);
});

test("[SV81] Chinese matches by any part; punctuation is literal", async () => {
  await using project = await open(folder());
  await tell(project, "今天我们讨论数据库的选择", "甲");
  await tell(project, 'He said "NEAR(a b)" OR * 100%_done', "signs");
  for (const query of ["数据库的选", "数据库", "数据", "择"]) {
    const found = await find(project, query);
    expect(found).toHaveLength(2);
    expect(found[1]).toContain(`⟦${query}⟧`);
  }
  expect(await find(project, "数据 讨论")).toHaveLength(2);
  expect(await find(project, "甲")).toEqual(["owner: ⟦甲⟧"]);
  for (const query of ['"NEAR(a', "b)", "*", "%_", "OR", '"']) expect(await find(project, query)).not.toEqual([]);
  expect(await find(project, "_x")).toEqual([]);
});

test("[SV82] an index that is deleted, broken or outdated is rebuilt", async () => {
  const dir = folder();
  const index = join(dir, ".dialogs/search.sqlite");
  const tried = async () => {
    await using project = await open(dir);
    expect(await find(project, "hello")).toHaveLength(expected);
  };
  let expected = 3; // its title, the message and the answer
  await (async () => {
    await using project = await open(dir);
    await tell(project, "hello world");
    expect(await find(project, "hello")).toHaveLength(expected);
  })();
  await tried(); // again
  rmSync(index);
  await tried(); // deleted
  writeFileSync(index, "this is no database at all, and long enough to be looked at ".repeat(100));
  await tried(); // broken
  await (async () => {
    await using project = await open(dir);
    await tell(project, "hello without a search"); // nobody has asked for the index
  })();
  expected = 6;
  await tried(); // outdated
});

test("[SV83] a new title replaces the old one", async () => {
  await using project = await open(folder());
  const id = await tell(project, "Let us begin", "Elephants");
  expect(await find(project, "elephants")).toHaveLength(1);
  await project.dialogs.rename(id, "Giraffes");
  expect(await find(project, "elephants")).toEqual([]);
  expect(await find(project, "giraffes")).toEqual(["owner: ⟦Giraffes⟧"]);
});

test("[SV87] a long word matches as a whole, in about the time of a short one", async () => {
  await using project = await open(folder());
  await tell(project, "a".repeat(400_000), "long");
  await tell(project, `${"a".repeat(99)}É`, "other");
  const timeOf = async (query: string) => {
    const begun = process.cpuUsage();
    await find(project, query);
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1_000;
  };
  const shortMs = await timeOf("aaaaaaaaaaaa");
  expect(await timeOf("a".repeat(500))).toBeLessThan(3 * shortMs + 500);
  expect(await find(project, `${"a".repeat(50)}é`)).toHaveLength(2);
  expect(await find(project, `${"a".repeat(100)}é`)).toEqual([]);
});
