import { z } from "zod";
import { defineTool } from "../../calls/define-tool.ts";
import type { Tool } from "../../calls/tool.ts";
import { editFile } from "./edit-file.ts";
import { listFolder } from "./files-job.ts";
import { OutOfReach } from "./open-at.ts";
import { kindAt, type ResolvedPath, placeToRead, placeToWrite } from "./resolved-path.ts";
import { searchFilesTool } from "./search-files.ts";
import { readTextFile } from "./text-file.ts";
import { draftName, writeWhole } from "./write-file.ts";

const MAX_BYTES = 10_000_000;
const MAX_ENTRIES = 500;
const MAX_LINES = 2_000;
/** The runtime shows 30,000; a cut at a line, with the way to go on, is better than a cut anywhere. */
const MAX_CHARACTERS = 25_000;

const listDir = defineTool({
  name: "list_dir",
  description:
    "Lists a folder of the project: one name a line, folders with a / behind them, links with where they lead. What .gitignore leaves out is named at the end; ask for such a folder by its path to see into it.",
  input: z.strictObject({ path: z.string().default(".").describe("relative to the project's folder") }),
  reads: true,
  async run({ path }, { dir, signal }) {
    const place = placeToRead(dir, path);
    assertFolder(place, path);
    const { shown, ignored } = await listFolder(place, signal);
    const rest = shown.length - MAX_ENTRIES;
    return [
      ...(shown.length === 0 ? ["(empty)"] : shown.slice(0, MAX_ENTRIES)),
      ...(rest > 0 ? [`… and ${rest} more. Find them with search_files: an empty pattern, this path, and a glob such as "a*".`] : []),
      ...(ignored.length > 0 ? [`(left out by .gitignore: ${ignored.slice(0, 20).join(", ")}${ignored.length > 20 ? " …" : ""})`] : []),
    ].join("\n");
  },
});

function assertFolder(place: ResolvedPath, path: string): void {
  if (kindAt(place) !== "folder") throw new OutOfReach(`"${path}" is a file. Use read_file.`);
}

const readText = defineTool({
  name: "read_file",
  description: "Reads a text file of the project. Long files come in part: give from and to (line numbers, from 1) for the rest.",
  input: z.strictObject({
    path: z.string().min(1).describe("relative to the project's folder"),
    from: z.number().int().positive().default(1).describe("the first line"),
    to: z.number().int().positive().optional().describe("the last line"),
  }),
  reads: true,
  async run({ path, from, to }, { dir, signal }) {
    const { text, isUtf8 } = await readTextFile(placeToRead(dir, path), path, MAX_BYTES, signal);
    const note = isUtf8 ? "" : "… this file is not UTF-8; it was read as Latin-1.\n";
    return note + excerpt(text.replace(/^\uFEFF/, ""), from, to);
  },
});

function excerpt(text: string, from: number, to: number | undefined): string {
  const lines = text.split("\n");
  if (from > lines.length) return `… there is no line ${from}: the file has ${lines.length}.`;
  const wanted = lines.slice(from - 1, Math.min(to ?? Infinity, from + MAX_LINES - 1));
  const shown = upTo(wanted, MAX_CHARACTERS);
  const last = from + shown.length - 1;
  const body = shown.join("\n");
  if (body.length > MAX_CHARACTERS)
    return `${body.slice(0, MAX_CHARACTERS)}\n… line ${from} of ${lines.length} goes on: ${body.length} characters in all, too long to be shown. Use search_files, or run_command (cut -c).`;
  return last < lines.length ? `${body}\n… lines ${from} to ${last} of ${lines.length}; ask with from: ${last + 1} for more.` : body;
}

/** As many lines as fit, and at least one. */
function upTo(lines: readonly string[], characters: number): readonly string[] {
  let length = 0;
  const end = lines.findIndex((line) => (length += line.length + 1) > characters + 1);
  return end < 0 ? lines : lines.slice(0, Math.max(1, end));
}

const writeText = (programs: () => readonly string[]) =>
  defineTool({
    name: "write_file",
    description:
      "Writes a text file of the project, whole. Folders are made as needed; a file that is there is replaced. To change a part of a file, use edit_file.",
    input: z.strictObject({ path: z.string().min(1).describe("relative to the project's folder"), content: z.string() }),
    // Writing the same content again changes nothing more.
    repeatable: true,
    run({ path, content }, { dir, callId }) {
      writeWhole(placeToWrite(dir, path, programs()), path, content, draftName(callId));
      return `Wrote ${Buffer.byteLength(content)} bytes to ${path}.`;
    },
  });

/** `programs`: what tools may not write because we run it. */
export const fileTools = (programs: () => readonly string[]): readonly Tool[] => [
  listDir,
  readText,
  writeText(programs),
  editFile(programs),
  searchFilesTool,
];
