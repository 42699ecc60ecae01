import type { Entry, Status, StreamId } from "@colloquy/schema";
import type { Known } from "../catalog.ts";

// A line of the index. The fields that start-up needs are at fixed positions, so that they are read without parsing:
//   {"s":"r","h":"012","d":0,"id":"…","seq":12,"course":1,"size":3456,"pos":78,"entry":{…}}
//   s  r running, c completed, a archived, - no entry, x removed    h  marks, as three hexadecimal digits    d  the files for people are behind the log
const LETTERS = { running: "r", completed: "c", archived: "a" } as const;
const GONE = "x";
const ID_AT = 31;

export interface IndexRow {
  readonly stream: StreamId;
  /** Absent if the stream was removed. */
  readonly known: Known | undefined;
  readonly isDue: boolean;
}

export function rowText({ stream, known, isDue }: IndexRow): string {
  if (!known) return `{"s":"${GONE}","h":"000","d":0,"id":"${stream}"}\n`;
  const { seq, course, size, pos, entry } = known;
  const letter = entry ? LETTERS[entry.status] : "-";
  const head = `{"s":"${letter}","h":"${(entry?.marks ?? 0).toString(16).padStart(3, "0")}","d":${isDue ? 1 : 0},"id":"${stream}","seq":${seq},"course":${course},"size":${size}${pos === undefined ? "" : `,"pos":${pos}`}`;
  return entry ? `${head},"entry":${entry.text}}\n` : `${head}}\n`;
}

export interface RowHead {
  /** Position of the id's digits. */
  readonly idAt: number;
  readonly idEnd: number;
  readonly isProject: boolean;
  readonly status: Status | undefined;
  readonly marks: number;
  readonly isDue: boolean;
  readonly isGone: boolean;
}

/** The part of a line that start-up needs; undefined if it is not such a line. */
export function rowHead(bytes: Buffer, at: number, end: number): RowHead | undefined {
  const idAt = at + ID_AT;
  const isProject = bytes[idAt] === LETTER_P;
  const idEnd = !isProject && bytes[idAt + 32] === QUOTE ? idAt + 32 : bytes.indexOf(QUOTE, idAt);
  if (idEnd < 0 || idEnd >= end || bytes[at + 2] !== LETTER_S) return undefined;
  return {
    idAt,
    idEnd,
    isProject,
    status: STATUS_OF[bytes[at + 6] ?? 0],
    marks: (digitAt(bytes, at + 14) << 8) | (digitAt(bytes, at + 15) << 4) | digitAt(bytes, at + 16),
    isDue: bytes[at + 23] === ONE,
    isGone: bytes[at + 6] === LETTER_X,
  };
}

export function parseHead(line: string): Omit<Known, "entry"> {
  const { seq, course, size, pos } = JSON.parse(`${line.slice(0, headEnd(line))}}`) as Known;
  return { seq, course, size, pos };
}

export function parseRow(line: string): Known {
  const at = headEnd(line);
  const { s, h, seq, course, size, pos } = JSON.parse(`${line.slice(0, at)}}`) as Known & { s: string; h: string };
  const status = STATUS_OF[s.charCodeAt(0)];
  return {
    seq,
    course,
    size,
    pos,
    entry: status && { status, marks: Number.parseInt(h, 16), text: line.slice(at + ENTRY.length, line.lastIndexOf("}")) },
  };
}

/** Undefined if invalid: an entry that somebody edited by hand is not shown, and hides no other. */
export function entryFrom(text: string): Entry | undefined {
  try {
    const entry = renamed(JSON.parse(text) as Entry);
    const isWhole = [entry.rootId, entry.agent, entry.title, entry.createdAt, entry.lastModified].every((part) => typeof part === "string");
    return isWhole && entry.status in LETTERS && Array.isArray(entry.questions ?? []) ? entry : undefined;
  } catch {
    return undefined; // doctor reports it
  }
}

/** Indexes of earlier versions say `resting` for `idle`. */
const renamed = (entry: Entry): Entry => ((entry.state as string) === "resting" ? { ...entry, state: "idle" } : entry);

const ENTRY = ',"entry":';
const headEnd = (line: string): number => {
  const at = line.indexOf(ENTRY);
  return at < 0 ? line.lastIndexOf("}") : at;
};

const [QUOTE, LETTER_A, LETTER_P, LETTER_S, LETTER_X, ZERO, ONE] = [0x22, 0x61, 0x70, 0x73, 0x78, 0x30, 0x31];
const digitAt = (bytes: Buffer, at: number): number => {
  const code = bytes[at] ?? ZERO;
  return code < LETTER_A ? code - ZERO : code - LETTER_A + 10;
};
const STATUS_OF: Readonly<Record<number, Status>> = { 0x72: "running", 0x63: "completed", 0x61: "archived" };
