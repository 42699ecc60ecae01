import { z } from "zod";
import { defineTool } from "../../calls/define-tool.ts";
import type { ToolTexts } from "../tool-texts.ts";
import { searchFiles, TimeUp } from "./files-job.ts";
import { printable } from "./listing.ts";
import { kindAt, placeToRead } from "./resolved-path.ts";
import type { Hit, SearchEnd } from "./search.ts";

const MAX_HITS = 200;
const MAX_CHARACTERS = 25_000;

export const searchFilesTool = (texts: ToolTexts) => defineSearch(10_000, texts);

/** `timeMs`: the timeout, since a pattern can take for ever. */
export function defineSearch(timeMs: number, texts: ToolTexts) {
  return defineTool({
    name: "search_files",
    description: texts.searchFiles,
    input: z.strictObject({
      pattern: z.string().describe(texts.pattern),
      path: z.string().default(".").describe(texts.searchPath),
      glob: z.string().min(1).optional().describe(texts.glob),
    }),
    reads: true,
    async run({ pattern, path, glob }, { dir, signal }) {
      const place = placeToRead(dir, path);
      const isFile = kindAt(place) === "file";
      const hits: Hit[] = [];
      const job = {
        root: place.root,
        inside: isFile ? place.folder : place.inside,
        ...(isFile && { only: place.name }),
        pattern,
        ...(glob !== undefined && { glob }),
        most: MAX_HITS,
      };
      try {
        const end = await searchFiles(job, signal, timeMs, (more) => hits.push(...more));
        return report(hits, end, texts);
      } catch (error) {
        if (!(error instanceof TimeUp)) throw error;
        const found = hits.length > 0 ? `${lines(hits).text}\n` : "";
        return `${found}${texts.notFinished(timeMs / 1000)}`;
      }
    },
  });
}

function report(hits: readonly Hit[], { files, isCut, large }: SearchEnd, texts: ToolTexts): string {
  const skipped =
    large.length > 0 ? [texts.tooLargeToSearch(`${large.slice(0, 10).map(printable).join(", ")}${large.length > 10 ? " …" : ""}`)] : [];
  if (hits.length === 0) return [texts.nothingFound(files), ...skipped].join("\n");
  const { text, count } = lines(hits);
  const more = isCut || count < hits.length ? [texts.moreHits(count)] : [];
  return [text, ...more, ...skipped].join("\n");
}

function lines(hits: readonly Hit[]): { readonly text: string; readonly count: number } {
  const shown: string[] = [];
  let length = 0;
  for (const { file, line, text } of hits) {
    const row = line === undefined ? printable(file) : `${printable(file)}:${line}: ${text}`;
    length += row.length + 1;
    if (length > MAX_CHARACTERS) break;
    shown.push(row);
  }
  return { text: shown.join("\n"), count: shown.length };
}
