import { z } from "zod";
import { defineTool } from "../../calls/define-tool.ts";
import { editText } from "./files-job.ts";
import type { Nearest } from "./text/nearest.ts";
import { placeToWriteSoon } from "./resolved-path.ts";
import { readTextFile } from "./text-file.ts";
import type { ToolTexts } from "../tool-texts.ts";
import { draftName, writeWhole } from "./write-file.ts";

const MAX_BYTES = 2_000_000;

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
      const place = await placeToWriteSoon(dir, path, programs);
      const read = async (): Promise<string> => {
        const { text, isUtf8 } = await readTextFile(place, path, MAX_BYTES, signal);
        if (!isUtf8) throw new Error(texts.notEditable(path));
        return text;
      };
      let text = await read();
      let edit = await editText({ text, old, fresh }, signal);
      // Somebody may have changed it while a thread read it.
      for (let now = await read(); now !== text; now = await read()) {
        text = now;
        edit = await editText({ text, old, fresh }, signal);
      }
      const { places, lines, nearest, text: replaced } = edit;
      if (places === 0) throw new Error(notFound(nearest, path, texts));
      if (places > 1 && !all) throw new Error(texts.severalPlaces(places, path, lines));

      writeWhole(place, { path, content: replaced, draft: draftName(callId) });
      return texts.replaced(places, path, lines);
    },
  });

function notFound(found: Nearest | undefined, path: string, texts: ToolTexts): string {
  if (!found) return texts.notFound(path);
  const width = String(found.line + found.lines.length - 1).length;
  const shown = found.lines.map((line, at) => `${String(found.line + at).padStart(width)}| ${line}`).join("\n");
  return texts.nearestPlace(path, found.line, found.isWhiteSpaceOnly, shown);
}
