import { z } from "zod";
import { defineTool } from "../../calls/define-tool.ts";
import type { Tool } from "../../calls/tool.ts";
import { OneAtATime } from "../../engine/one-at-a-time.ts";
import { editFile } from "./edit-file.ts";
import type { Excerpt } from "./text/excerpt.ts";
import { listFolder } from "./files-job.ts";
import { OutOfReach } from "./open-at.ts";
import { kindAt, placeToRead, placeToWriteSoon } from "./resolved-path.ts";
import { searchFilesTool } from "./search-files.ts";
import { readExcerpt } from "./text-file.ts";
import { draftName, writeWhole } from "./write-file.ts";
import type { ToolTexts } from "../tool-texts.ts";

const MAX_BYTES = 10_000_000;
const MAX_ENTRIES = 500;
/** The runtime shows 30,000 characters; cutting at a line, with a way to read on, beats cutting anywhere. */
const MAX_CHARACTERS = 25_000;

const listDir = (texts: ToolTexts) =>
  defineTool({
    name: "list_dir",
    description: texts.listDir,
    input: z.strictObject({ path: z.string().default(".").describe(texts.folderPath) }),
    reads: true,
    async run({ path }, { dir, signal }) {
      const place = placeToRead(dir, path);
      if (kindAt(place) !== "folder") throw new OutOfReach(texts.isFile(path));
      const { shown, ignored } = await listFolder(place, signal);
      const rest = shown.length - MAX_ENTRIES;
      return [
        ...(shown.length === 0 ? [texts.emptyFolder] : shown.slice(0, MAX_ENTRIES)),
        ...(rest > 0 ? [texts.moreEntries(rest)] : []),
        ...(ignored.length > 0 ? [texts.leftOut(`${ignored.slice(0, 20).join(", ")}${ignored.length > 20 ? " …" : ""}`)] : []),
      ].join("\n");
    },
  });

const readText = (texts: ToolTexts) =>
  defineTool({
    name: "read_file",
    description: texts.readFile,
    input: z.strictObject({
      path: z.string().min(1).describe(texts.folderPath),
      from: z.number().int().positive().default(1).describe(texts.firstLine),
      to: z.number().int().positive().optional().describe(texts.lastLine),
    }),
    reads: true,
    async run({ path, from, to }, { dir, signal }) {
      const place = placeToRead(dir, path);
      const found = await readExcerpt({ place, path, largestBytes: MAX_BYTES, from, to, maxCharacters: MAX_CHARACTERS }, signal);
      return (found.isUtf8 ? "" : `${texts.notUtf8}\n`) + described(found, from, texts);
    },
  });

function described({ body, characters, shownLines, allLines }: Excerpt, from: number, texts: ToolTexts): string {
  if (from > allLines) return texts.noLine(from, allLines);
  if (characters > MAX_CHARACTERS) return `${body}\n${texts.longLine(from, allLines, characters)}`;
  const last = from + shownLines - 1;
  return last < allLines ? `${body}\n${texts.moreLines(from, last, allLines)}` : body;
}

const writeText = (programs: () => readonly string[], texts: ToolTexts) =>
  defineTool({
    name: "write_file",
    description: texts.writeFile,
    input: z.strictObject({ path: z.string().min(1).describe(texts.folderPath), content: z.string() }),
    // Writing the same content again is idempotent.
    repeatable: true,
    async run({ path, content }, { dir, callId }) {
      writeWhole(await placeToWriteSoon(dir, path, programs), { path, content, draft: draftName(callId) });
      return texts.wrote(Buffer.byteLength(content), path);
    },
  });

/** `programs`: paths that tools may not write because we run them. */
export const fileTools = (programs: () => readonly string[], texts: ToolTexts): readonly Tool[] =>
  [listDir(texts), readText(texts), writeText(programs, texts), editFile(programs, texts), searchFilesTool(texts)].map(afterWrites);

const writes = new OneAtATime();

/** Readers start side by side with the writers before them in their step; they wait for those of their dialog. */
const afterWrites = (tool: Tool): Tool => ({
  ...tool,
  run: async (input, call) => {
    if (tool.kind === "effects") return writes.alone(call.dialog.selfId, async () => tool.run(input, call));
    await writes.alone(call.dialog.selfId, () => Promise.resolve());
    return tool.run(input, call);
  },
});
