import { mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import type { Tool } from "../tool.ts";
import { isUnseen, placeToRead, placeToWrite } from "./place.ts";

const LARGEST_BYTES = 2_000_000;
const MOST_ENTRIES = 500;
const MOST_LINES = 2_000;

const listDir = defineTool({
  name: "list_dir",
  description: "Lists a folder of the project: one name a line, folders with a / behind them.",
  input: z.strictObject({ path: z.string().default(".").describe("relative to the project's folder") }),
  reads: true,
  async run({ path }, { dir }) {
    const entries = await readdir(await placeToRead(dir, path), { withFileTypes: true });
    const names = entries.filter((entry) => !isUnseen(entry.name)).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    if (names.length === 0) return "(empty)";
    const shown = names.toSorted().slice(0, MOST_ENTRIES);
    return [...shown, ...(names.length > shown.length ? [`… and ${names.length - shown.length} more`] : [])].join("\n");
  },
});

const readText = defineTool({
  name: "read_file",
  description: "Reads a text file of the project. Long files come in part: give from and to (line numbers, from 1) for the rest.",
  input: z.strictObject({ path: z.string(), from: z.number().int().positive().optional(), to: z.number().int().positive().optional() }),
  reads: true,
  async run({ path, from = 1, to }, { dir }) {
    const place = await placeToRead(dir, path);
    const { size } = await stat(place);
    if (size > LARGEST_BYTES) throw new Error(`"${path}" has ${size} bytes; at most ${LARGEST_BYTES} can be read.`);
    const bytes = await readFile(place);
    if (bytes.includes(0)) throw new Error(`"${path}" is not a text file.`);
    const lines = bytes.toString("utf8").split("\n");
    const last = Math.min(to ?? from + MOST_LINES - 1, lines.length);
    const text = lines.slice(from - 1, last).join("\n");
    return last < lines.length ? `${text}\n… lines ${from} to ${last} of ${lines.length}; ask with from: ${last + 1} for more.` : text;
  },
});

const writeText = defineTool({
  name: "write_file",
  description: "Writes a text file of the project, whole. Folders are made as needed; a file that is there is replaced.",
  input: z.strictObject({ path: z.string(), content: z.string() }),
  // Writing the same content again changes nothing more.
  repeatable: true,
  async run({ path, content }, { dir, callId }) {
    const place = await placeToWrite(dir, path);
    await mkdir(dirname(place), { recursive: true });
    const draft = `${place}.${callId.slice(-6)}.tmp`;
    await writeFile(draft, content);
    await rename(draft, place);
    return `Wrote ${Buffer.byteLength(content)} bytes to ${path}.`;
  },
});

/** Tools by the group that a configuration names. */
export const toolGroups: Readonly<Record<string, readonly Tool[]>> = { files: [listDir, readText, writeText] };
