import { closeSync, fdatasyncSync, mkdtempSync, openSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder each time, and nothing is deleted before the end: after mass deletion, creating files is slow for minutes. */
export const newFolder = (name: string): string => mkdtempSync(join(tmpdir(), `colloquy-bench-${name}-`));

/** The disk's share alone: the same bytes appended and synced, one after the other. */
export class BareFile {
  readonly #fd: number;

  constructor(dir: string) {
    this.#fd = openSync(join(dir, "bare"), "a");
  }

  /** Milliseconds for these writes, each synced. */
  write(sizes: readonly number[]): number {
    const buffers = sizes.map((size) => Buffer.alloc(size, "x"));
    const startedAt = performance.now();
    for (const buffer of buffers) {
      writeSync(this.#fd, buffer);
      fdatasyncSync(this.#fd);
    }
    return performance.now() - startedAt;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

export const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
export const percentile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? 0;

const BLOCK = 25;

/** Alternates blocks of both: a write right after a sync of another file is slower. */
export async function inBlocks(rounds: number, ours: () => Promise<void>, theirs: () => void): Promise<void> {
  for (let done = 0; done < rounds; done += BLOCK) {
    for (let n = 0; n < BLOCK; n++) await ours();
    for (let n = 0; n < BLOCK; n++) theirs();
  }
}

export async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
