import { withoutEscapes } from "@colloquy/schema";

/** What was kept of a command's output. Plain data, passed to a thread if it is long. */
export interface KeptOutput {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  /** Bytes between them that were not kept. */
  readonly left: number;
}

export interface ReadableOutput {
  readonly text: string;
  /** A shell says only that it couldn't be written. */
  readonly failedOnRequirements: boolean;
}

/** Without terminal escape sequences. */
export function readableOutput({ head, tail, left }: KeptOutput): ReadableOutput {
  const between = left > 0 ? [Buffer.from(`\n… ${left} bytes left out …\n`)] : [];
  const text = withoutEscapes(Buffer.concat([head, ...between, tail]).toString("utf8"));
  return { text, failedOnRequirements: failedOnRequirements(text) };
}

const READ_ONLY = /read-only file system|device or resource busy/g;

/** A line that names `prd`, and then the error. Each character is read once: a line may name it a million times. */
function failedOnRequirements(text: string): boolean {
  const all = text.toLowerCase();
  let start = 0;
  for (const { index } of all.matchAll(READ_ONLY)) {
    const before = all.slice(start, index);
    if (/\bprd\b/.test(before.slice(before.lastIndexOf("\n") + 1))) return true;
    start = index;
  }
  return false;
}
