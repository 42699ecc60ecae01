import { chmodSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_STREAM } from "@colloquy/schema";
import type { StreamPart } from "@colloquy/store";
import { entryFor, made, saying, snapshotAt, treeId } from "@colloquy/store/contract";
import { expect, onTestFinished, test } from "vitest";
import { threadedDisk } from "../src/courses/scribe-thread.ts";
import { openFileStore } from "../src/index.ts";
import { failure } from "./faulty-disk.ts";
import { projectFolder } from "./project-folder.ts";

const one = treeId(1);

test("[L75] a new .dialogs/ is excluded from git", async () => {
  const folder = projectFolder();
  await (await folder.open()).close();
  expect(folder.text(".gitignore")).toBe("*\n");
});

test("[L75] if opening fails before the .gitignore is written, the next opening writes it", async () => {
  const folder = projectFolder();
  const opening = folder.open();
  folder.faulty.trouble = (op, what) => {
    if (op === "rename" && what.endsWith(".gitignore.tmp")) throw failure("EIO");
  };
  await expect(opening).rejects.toThrow("EIO");
  expect(existsSync(folder.path(".gitignore"))).toBe(false);
  await (await folder.open()).close();
  expect(folder.text(".gitignore")).toBe("*\n");
});

test("[L75] a .gitignore that people changed or removed is left alone", async () => {
  const folder = projectFolder();
  await (await folder.open()).close();
  folder.write("!project.jsonl\n", ".gitignore");
  await (await folder.open()).close();
  expect(folder.text(".gitignore")).toBe("!project.jsonl\n");
  rmSync(folder.path(".gitignore"));
  await (await folder.open()).close();
  expect(existsSync(folder.path(".gitignore"))).toBe(false);
});

const permissions = (path: string): number => statSync(path).mode & 0o777;

/** Everything in a folder that other users can access. */
function open(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) => (permissions(join(path, name)) & 0o077) !== 0);
}

test("[L76] only the owner can read what is written, even with a permissive umask and by the thread", async () => {
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  const folder = projectFolder();
  const store = await openFileStore(folder.dir, { disk: threadedDisk, isBackground: false });
  const commits = Array.from({ length: 200 }, (_, n) => {
    const tree = treeId(n + 1);
    const project: StreamPart = { stream: PROJECT_STREAM, expected: n, events: [made(tree)] };
    return store.commit([{ ...saying(tree, 0, ["a"]), entry: entryFor(tree) }, project], 0);
  });
  await Promise.all(commits);
  await store.putBlob(one, "long", Buffer.from("words"));
  void store.project(one, () => [{ path: "subdialogs/x/response.yaml", content: { said: "words" } }]);
  await store.flush();
  await store.saveSnapshot(one, snapshotAt(1));
  expect(permissions(folder.path("lock"))).toBe(0o600);
  await store.close();
  expect(permissions(folder.path())).toBe(0o700);
  expect(permissions(folder.path("run", one))).toBe(0o700);
  expect(permissions(folder.path("run", one, "course-001.jsonl"))).toBe(0o600);
  expect(open(folder.path())).toEqual([]);
});

test("[L76] opening a project makes its .dialogs/ private, and does not touch its content", async () => {
  const folder = projectFolder();
  await (await folder.open()).close();
  chmodSync(folder.path(), 0o755);
  writeFileSync(folder.path("old"), "", { mode: 0o644 });
  chmodSync(folder.path("old"), 0o644);
  const store = await folder.open();
  expect(permissions(folder.path())).toBe(0o700);
  expect(permissions(folder.path("old"))).toBe(0o644);
  expect(store.health().notices).toEqual([]);
});

test("[L76] permissions that cannot be changed are reported with the command to run", async () => {
  const folder = projectFolder({ disk: { ...threadedDisk, makePrivate: () => false } });
  const store = await folder.open();
  expect(store.health().notices).toEqual([
    `Other users of this machine may be able to read ${folder.path()}: its permissions could not be changed. Its owner can: chmod 700 ${folder.path()}`,
  ]);
});
