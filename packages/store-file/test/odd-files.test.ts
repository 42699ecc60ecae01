import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { Fault, PROJECT_STREAM } from "@colloquy/schema";
import { entryFor, made, saying, spoken, treeId } from "@colloquy/store/contract";
import { describe, expect, test } from "vitest";
import { inspect, repair } from "../src/index.ts";
import type { FoldEntry } from "../src/inspect/rebuild.ts";
import { projectFolder } from "./project-folder.ts";

const [one, two] = [treeId(1), treeId(2)];
const foldEntry: FoldEntry = (rootId, { lines }) => entryFor(rootId, { title: spoken(lines).join(" ") });

async function restingTrees() {
  const folder = projectFolder({ foldEntry });
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"]), { stream: PROJECT_STREAM, expected: 0, events: [made(one)] }], 0);
  await store.commit([saying(two, 0, ["b"])], 0);
  await store.close();
  return folder;
}

const PLACES = [
  ["lock"],
  ["index.jsonl"],
  ["project.jsonl"],
  ["project.snapshot.json"],
  [".gitignore"],
  ["journal", "slot-0"],
  ["run", one],
  ["run", one, "course-001.jsonl"],
  ["run", one, "snapshot.json"],
  ["run", one, "latest.yaml"],
  ["run", "odd"],
  ["blobs"],
];
const KINDS: Readonly<Record<string, (path: string) => void>> = {
  "a pipe": (path) => execFileSync("mkfifo", [path]),
  "a folder": (path) => mkdirSync(path),
  "a loop of links": (path) => execFileSync("ln", ["-s", path, path]),
  "no text": (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0, 10])),
};

describe.skipIf(process.platform === "win32")("[L81] anything in the place of a file gets an answer", () => {
  for (const names of PLACES) {
    test.each(Object.keys(KINDS))(`${names.join("/").replace(one, "<id>")}: %s`, async (kind) => {
      const folder = await restingTrees();
      const path = folder.path(...names);
      if (existsSync(path)) renameSync(path, `${folder.dir}/was`);
      KINDS[kind]?.(path);
      const answered = async (work: () => Promise<unknown>) => {
        const error: unknown = await work().then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (error !== undefined) expect(error).toBeInstanceOf(Fault);
      };
      await answered(async () => {
        const store = await folder.open();
        // The other tree is what it was.
        expect(spoken((await store.open(two, 1))?.lines ?? [])).toEqual(["b"]);
        await store.open(one, 1).catch((error: unknown) => expect(error).toBeInstanceOf(Fault));
        await store.close();
      });
      await answered(() => inspect(folder.dir, { foldEntry }));
      await answered(() => repair(folder.dir, { foldEntry }));
      rmSync(path, { recursive: true, force: true });
    });
  }
});
