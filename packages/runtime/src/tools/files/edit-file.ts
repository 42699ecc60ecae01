import { z } from "zod";
import { defineTool } from "../../calls/define-tool.ts";
import { nearest } from "./nearest.ts";
import { placeToWrite } from "./resolved-path.ts";
import { readTextFile } from "./text-file.ts";
import { draftName, writeWhole } from "./write-file.ts";

const MAX_BYTES = 2_000_000;
const MAX_NAMED_LINES = 20;

/** `programs`: what tools may not write because we run it. */
export const editFile = (programs: () => readonly string[]) =>
  defineTool({
    name: "edit_file",
    description:
      "Replaces text in a file of the project. `old` must stand in the file exactly as given, white space and indentation included, and only once; give enough lines around it to make it unique, or set all to replace it everywhere. Read the file first. When it does not fit, nothing is changed and the nearest place is shown.",
    input: z.strictObject({
      path: z.string().min(1).describe("relative to the project's folder"),
      old: z.string().min(1).describe("the text as it is now"),
      new: z.string().describe("the text that takes its place; empty to delete"),
      all: z.boolean().default(false).describe("replace every occurrence"),
    }),
    async run({ path, old, new: fresh, all }, { dir, callId, signal }) {
      if (old === fresh) throw new Error("Nothing to do: old and new are the same.");
      const place = placeToWrite(dir, path, programs());
      const { text, isUtf8 } = await readTextFile(place, path, MAX_BYTES, signal);
      if (!isUtf8) throw new Error(`"${path}" is not UTF-8; editing it here would damage it. Use run_command.`);

      const { places, text: replaced } = replacedText(text, old, fresh);
      if (places.length === 0) throw new Error(notFound(text, old, path));
      const lines = places.map((at) => lineAt(text, at));
      if (places.length > 1 && !all) throw new Error(severalTimes(lines, path));

      writeWhole(place, path, replaced, draftName(callId));
      return places.length === 1
        ? `Replaced 1 place in ${path}, at line ${lines[0]}.`
        : `Replaced ${places.length} places in ${path}, at lines ${named(lines)}.`;
    },
  });

/** What the file will be, and where it changes. */
export function replacedText(text: string, old: string, fresh: string): { readonly text: string; readonly places: readonly number[] } {
  const [wanted, instead] = inTheFilesLineEnds(text, old, fresh);
  // Not String.replace: a "$&" in the new text is meant as it is.
  return { text: text.split(wanted).join(instead), places: occurrences(text, wanted) };
}

/** Models write "\n". In a file whose lines end with "\r\n" that is what they mean, if nothing fits as it is. */
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

const lineAt = (text: string, at: number): number => text.slice(0, at).split("\n").length;

const named = (lines: readonly number[]): string =>
  lines.slice(0, MAX_NAMED_LINES).join(", ") + (lines.length > MAX_NAMED_LINES ? " …" : "");

const severalTimes = (lines: readonly number[], path: string): string =>
  `Nothing was changed: old occurs ${lines.length} times in ${path} (lines ${named(lines)}). Give more of the lines around the one you mean, or set all to replace every one.`;

function notFound(text: string, old: string, path: string): string {
  const found = nearest(text, old);
  if (!found) return `Nothing was changed: old does not occur in ${path}, nor anything like it. Read the file again; it may have changed.`;
  const width = String(found.line + found.lines.length - 1).length;
  const shown = found.lines.map((line, at) => `${String(found.line + at).padStart(width)}| ${line}`).join("\n");
  const how = found.isWhiteSpaceOnly ? ", which differs in white space only" : "";
  return `Nothing was changed: old does not occur in ${path}. The nearest place is line ${found.line}${how}:\n${shown}\nCopy the text exactly as it is there, without the line numbers.`;
}
