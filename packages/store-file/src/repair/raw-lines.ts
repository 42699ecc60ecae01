import type { Line } from "@colloquy/schema";
import { checkedText } from "../courses/checksum.ts";

/** A file's lines with their line ends; text after the last one counts as a line. */
export function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at) + 1 || bytes.length;
    lines.push(bytes.subarray(at, end));
    at = end;
  }
  return lines;
}

/** The content of a line of the project's log, whatever is around it. */
export function readableLine(line: Buffer): Pick<Line, "pos" | "at" | "events"> | undefined {
  const text = checkedText(line.toString().trimEnd());
  const { pos, at, events } = (text === undefined ? undefined : (parsed(Buffer.from(text)) as Partial<Line> | undefined)) ?? {};
  return typeof pos === "number" && typeof at === "string" && Array.isArray(events) ? { pos, at, events } : undefined;
}

export const seqIn = (line: Buffer | undefined): number | undefined => numberOr(parsed(line)?.seq);
export const checkpointSeqIn = (line: Buffer | undefined): number | undefined => numberOr(parsed(line)?.checkpoint?.seq);

/** The first event of these lines, even if their first line only states which events are lost. */
export function firstSeq([first]: readonly Buffer[]): number | undefined {
  return numberOr(parsed(first)?.seq) ?? numberOr(parsed(first)?.lost?.from);
}

interface ReadLine {
  readonly seq?: unknown;
  readonly events?: unknown;
  readonly lost?: { readonly from?: unknown };
  readonly checkpoint?: { readonly seq?: unknown };
}

function parsed(line: Buffer | undefined): ReadLine | undefined {
  try {
    return (JSON.parse(line?.toString() ?? "") as ReadLine | null) ?? undefined;
  } catch {
    return undefined; // damaged
  }
}

const numberOr = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
