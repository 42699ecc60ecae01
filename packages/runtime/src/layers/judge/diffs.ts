import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import type { FileEffect } from "@colloquy/schema";
import { printable } from "../../tools/files/listing.ts";
import { statOf } from "../identity.ts";

const MAX_DIFF_BYTES = 400_000;
const MAX_STARTED_EARLY = 4;
const DIFF_MS = 2_000;

type Compared = Pick<FileEffect, "path" | "kind">;

/** Diffs between files before and after a command, each made once. `diff` compares changed files, outside this thread. */
export class Diffs {
  readonly #before: (path: string) => string;
  readonly #after: (path: string) => string;
  readonly #made = new Map<string, Promise<string | undefined>>();

  constructor(before: (path: string) => string, after: (path: string) => string) {
    this.#before = before;
    this.#after = after;
  }

  /** Starts with the first changed files, while git is still being queried. */
  start(files: readonly Compared[]): void {
    for (const file of files.filter(({ kind }) => kind === "changed").slice(0, MAX_STARTED_EARLY)) void this.of(file);
  }

  /** Undefined if it isn't text, or too long to compare. */
  of(file: Compared): Promise<string | undefined> {
    const key = `${file.kind} ${file.path}`;
    const made = this.#made.get(key) ?? this.#make(file);
    this.#made.set(key, made);
    return made;
  }

  async #make({ path, kind }: Compared): Promise<string | undefined> {
    if (kind === "mode" || kind === "moved") return undefined;
    const name = printable(path);
    if (kind === "created") return wholeDiff("+", this.#after(path), name);
    if (kind === "deleted") return wholeDiff("-", this.#before(path), name);
    const [old, fresh] = [this.#before(path), this.#after(path)];
    return isComparable(old) && isComparable(fresh) ? comparedBy(["-u", "--label", name, "--label", name, "--", old, fresh]) : undefined;
  }
}

/** For a created or deleted file: every line of it. */
function wholeDiff(sign: "+" | "-", place: string, name: string): string | undefined {
  if (!isComparable(place)) return undefined;
  const content = readFileSync(place);
  if (content.length === 0 || content.includes(0)) return undefined;
  const text = content.toString("utf8");
  const lines = text.split("\n");
  const isEnded = lines.at(-1) === "";
  if (isEnded) lines.pop();
  const extent = lines.length === 1 ? "1" : `1,${lines.length}`;
  const [old, fresh] = sign === "+" ? ["/dev/null", name] : [name, "/dev/null"];
  const at = sign === "+" ? `@@ -0,0 +${extent} @@` : `@@ -${extent} +0,0 @@`;
  const body = lines.map((line) => `${sign}${line}`);
  return [`--- ${old}`, `+++ ${fresh}`, at, ...body, ...(isEnded ? [] : [String.raw`\ No newline at end of file`])].join("\n").trimEnd();
}

function comparedBy(args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const how = { env: { LC_ALL: "C.UTF-8" }, encoding: "utf8", timeout: DIFF_MS, maxBuffer: 4 * MAX_DIFF_BYTES } as const;
    execFile("/usr/bin/diff", args, how, (error, stdout) => {
      // 1: they differ. Without `diff`, or when it takes too long, there is none.
      resolve(error?.code === 1 && stdout.startsWith("--- ") ? stdout.trimEnd() : undefined);
    });
  });
}

function isComparable(place: string): boolean {
  const stat = statOf(place);
  return stat?.isFile() === true && stat.size <= MAX_DIFF_BYTES;
}
