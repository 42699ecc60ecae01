import { isUtf8 } from "node:buffer";
import { withoutKeys } from "../../protected/git-keys.ts";
import { looksBinary } from "./binary.ts";

const MAX_LINES = 2_000;

/** A file's content, and the lines wanted of it. Plain data, passed to a thread if it is long. */
export interface ExcerptJob {
  readonly bytes: Uint8Array;
  /** Git's settings are shown without keys. */
  readonly isGitSettings: boolean;
  /** Line numbers, from 1. */
  readonly from: number;
  readonly to: number | undefined;
  readonly maxCharacters: number;
}

export interface Excerpt {
  readonly isBinary: boolean;
  /** Otherwise it was read as Latin-1, to show at least something. */
  readonly isUtf8: boolean;
  /** As many of the lines as fit, but at least one, which may be longer than `maxCharacters` by itself: then it is cut. */
  readonly body: string;
  /** The length of the body before it was cut. */
  readonly characters: number;
  readonly shownLines: number;
  readonly allLines: number;
}

/** Reads the file once, and keeps only the wanted lines. */
export function excerpt({ bytes, isGitSettings, from, to, maxCharacters }: ExcerptJob): Excerpt {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (looksBinary(content)) return { isBinary: true, isUtf8: false, body: "", characters: 0, shownLines: 0, allLines: 0 };
  const file = { isBinary: false, isUtf8: isUtf8(content) };
  const decoded = content.toString(file.isUtf8 ? "utf8" : "latin1").replace(/^\uFEFF/, "");
  const text = isGitSettings ? withoutKeys(decoded) : decoded;
  const wanted: string[] = [];
  const last = Math.min(to ?? Infinity, from + MAX_LINES - 1);
  let allLines = 0;
  let isFull = false;
  let length = 0;
  for (let start = 0, end = 0; end >= 0; start = end + 1) {
    end = text.indexOf("\n", start);
    allLines += 1;
    if (isFull || allLines < from || allLines > last) continue;
    const line = text.slice(start, end < 0 ? undefined : end);
    length += line.length + 1;
    isFull = wanted.length > 0 && length > maxCharacters + 1;
    if (!isFull) wanted.push(line);
  }
  const body = wanted.join("\n");
  return { ...file, body: body.slice(0, maxCharacters), characters: body.length, shownLines: wanted.length, allLines };
}
