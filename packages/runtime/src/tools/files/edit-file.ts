import { z } from "zod";
import { defineTool } from "../../calls/define-tool.ts";
import { nearest } from "./nearest.ts";
import { placeToWrite } from "./resolved-path.ts";
import { readTextFile } from "./text-file.ts";
import type { ToolTexts } from "../tool-texts.ts";
import { draftName, writeWhole } from "./write-file.ts";

const MAX_BYTES = 2_000_000;
const MAX_NAMED_LINES = 20;

/** `programs`: paths that tools may not write because we run them. */
export const editFile = (programs: () => readonly string[], texts: ToolTexts) =>
  defineTool({
    name: "edit_file",
    description: texts.editFile,
    input: z.strictObject({
      path: z.string().min(1).describe(texts.folderPath),
      old: z.string().min(1).describe(texts.oldText),
      new: z.string().describe(texts.newText),
      all: z.boolean().default(false).describe(texts.everyPlace),
    }),
    async run({ path, old, new: fresh, all }, { dir, callId, signal }) {
      if (old === fresh) throw new Error(texts.sameText);
      const place = placeToWrite(dir, path, programs());
      const { text, isUtf8 } = await readTextFile(place, path, MAX_BYTES, signal);
      if (!isUtf8) throw new Error(texts.notEditable(path));

      const { places, text: replaced } = replacedText(text, old, fresh);
      if (places.length === 0) throw new Error(notFound(text, old, path, texts));
      const lines = firstLines(text, places);
      if (places.length > 1 && !all) throw new Error(texts.severalPlaces(places.length, path, lines));

      writeWhole(place, { path, content: replaced, draft: draftName(callId) });
      return texts.replaced(places.length, path, lines);
    },
  });

/** The file after the edit, and where it changes. */
export function replacedText(text: string, old: string, fresh: string): { readonly text: string; readonly places: readonly number[] } {
  const [wanted, instead] = inTheFilesLineEnds(text, old, fresh);
  // Not String.replace: a "$&" in the new text is literal.
  return { text: text.split(wanted).join(instead), places: occurrences(text, wanted) };
}

/** Models write "\n". In a file with "\r\n" line ends they mean that, if nothing matches verbatim. */
function inTheFilesLineEnds(text: string, old: string, fresh: string): readonly [string, string] {
  if (text.includes(old) || !text.includes("\r\n")) return [old, fresh];
  const withReturns = (lines: string) => lines.replace(/\r?\n/g, "\r\n");
  return text.includes(withReturns(old)) ? [withReturns(old), withReturns(fresh)] : [old, fresh];
}

function occurrences(text: string, wanted: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

/** The line numbers of the first places. There may be a place for each character, so the text is read once. */
function firstLines(text: string, places: readonly number[]): string {
  const lines: number[] = [];
  let line = 1;
  let counted = 0;
  for (const place of places.slice(0, MAX_NAMED_LINES)) {
    for (let at = text.indexOf("\n", counted); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) line += 1;
    counted = place;
    lines.push(line);
  }
  return lines.join(", ") + (places.length > MAX_NAMED_LINES ? " …" : "");
}

function notFound(text: string, old: string, path: string, texts: ToolTexts): string {
  const found = nearest(text, old);
  if (!found) return texts.notFound(path);
  const width = String(found.line + found.lines.length - 1).length;
  const shown = found.lines.map((line, at) => `${String(found.line + at).padStart(width)}| ${line}`).join("\n");
  return texts.nearestPlace(path, found.line, found.isWhiteSpaceOnly, shown);
}
