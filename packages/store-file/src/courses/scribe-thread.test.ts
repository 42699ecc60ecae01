import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { codeOf } from "../disk/disk.ts";
import { ScribeThread } from "./scribe-thread.ts";
import type { Writing } from "./scribe.ts";

const STREAM_COUNT = 40;

const newFolder = () => mkdtempSync(join(tmpdir(), "colloquy-scribe-"));

const writingsIn = (dir: string): Writing[] =>
  Array.from({ length: STREAM_COUNT }, (_, n) => ({
    path: join(dir, `tree-${n}`, "course-001.jsonl"),
    at: 0,
    pieces: [Buffer.from(`first of ${n}\n`), Buffer.from("second\n")],
    isNew: true,
  }));

const expectAllIn = (dir: string): void => {
  for (let n = 0; n < STREAM_COUNT; n += 1)
    expect(readFileSync(join(dir, `tree-${n}`, "course-001.jsonl"), "utf8")).toBe(`first of ${n}\nsecond\n`);
};

test("[L70] a thread writes many files, each at its position; failures are reported per file, and the others are written", async () => {
  const dir = newFolder();
  const thread = new ScribeThread();
  writeFileSync(join(dir, "no-folder"), "");
  const wrong: Writing = { path: join(dir, "no-folder", "course-001.jsonl"), at: 0, pieces: [Buffer.from("x")], isNew: false };
  const failures = await thread.write([wrong, ...writingsIn(dir)]);
  expect(codeOf(failures[0])).toBe("ENOTDIR");
  expect(failures.slice(1).every((one) => one === undefined)).toBe(true);
  expectAllIn(dir);

  const more: Writing = { path: join(dir, "tree-0", "course-001.jsonl"), at: 11, pieces: [Buffer.from("SECOND")], isNew: false };
  expect(await thread.write([more])).toEqual([undefined]);
  expect(readFileSync(more.path, "utf8")).toBe("first of 0\nSECOND\n");
});

test("[L70] if the thread dies, its files are still written, and the next batch gets a new thread", async () => {
  const threads = [
    () => new Worker("process.exit(1)", { eval: true }),
    () => new Worker("throw new Error('made for a test')", { eval: true }),
    () => {
      throw new Error("no thread can be had");
    },
  ];
  for (const begin of threads) {
    const dir = newFolder();
    let begun = 0;
    const thread = new ScribeThread(() => {
      begun += 1;
      return begin();
    });
    for (let n = 0; n < 2; n += 1) expect((await thread.write(writingsIn(dir))).every((one) => one === undefined)).toBe(true);
    expectAllIn(dir);
    expect(begun).toBe(2);
  }
});
