import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_STREAM } from "@colloquy/schema";
import { deleted, entryFor, made, saying, treeId } from "@colloquy/store/contract";
import { expect, onTestFinished, test } from "vitest";
import { openFileStore } from "../src/index.ts";
import { projectFolder } from "./project-folder.ts";

const NOW = Date.UTC(2026, 10, 15, 9, 12);
const [one, two] = [treeId(1), treeId(2)];

async function withTwo(dir: string) {
  const store = await openFileStore(dir, { isBackground: false });
  onTestFinished(() => store.close());
  const done = { entry: entryFor(two, { status: "completed" }) };
  await store.commit([saying(one, 0, ["a"]), { stream: PROJECT_STREAM, expected: 0, events: [made(one), made(two)] }], NOW);
  await store.commit([saying(two, 0, ["secret words"], done)], NOW);
  await store.putBlob(two, "call-1.txt", Buffer.from("secret words"));
  await store.checkpoint();
  return store;
}

const remove = { stream: PROJECT_STREAM, expected: 2, events: [deleted(two)] } as const;

test("[L87] the files of a deleted tree are gone after a checkpoint, and the index forgets it", async () => {
  const { dir } = projectFolder();
  const folder = join(dir, ".dialogs", "done", two);
  const store = await withTwo(dir);
  expect(readdirSync(folder)).toContain("course-001.jsonl");
  await store.commit([remove], NOW);
  expect(existsSync(folder)).toBe(true); // only the journal knows yet
  await store.checkpoint();
  expect(existsSync(folder)).toBe(false);
  await store.close();
  const left = readdirSync(join(dir, ".dialogs"), { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const holding = left.filter((file) => readFileSync(join(file.parentPath, file.name)).includes("secret words"));
  expect(holding.map(({ name }) => name)).toEqual([]);
  const again = await openFileStore(dir, { isBackground: false });
  onTestFinished(() => again.close());
  expect([again.list().length, again.count(), again.has(two), again.crashed]).toEqual([1, 1, false, false]);
});

test("[L87] a deletion that only the journal has is finished by the next process, also without an index", async () => {
  for (const isIndexLost of [false, true]) {
    const { dir } = projectFolder();
    const store = await withTwo(dir);
    await store.commit([remove], NOW);
    await store.close({ asCrashed: true });
    if (isIndexLost) rmSync(join(dir, ".dialogs", "index.jsonl"));
    const again = await openFileStore(dir, { isBackground: false });
    expect(again.list().map(({ rootId }) => rootId)).toEqual(isIndexLost ? [] : [one]);
    expect(again.has(two)).toBe(false);
    await again.close();
    expect(existsSync(join(dir, ".dialogs", "done", two))).toBe(false);
  }
});
