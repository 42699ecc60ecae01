import { z } from "zod";
import { defineTool } from "../../calls/define-tool.ts";
import { searchFiles, TimeUp } from "./files-job.ts";
import { printable } from "./listing.ts";
import { kindAt, placeToRead } from "./resolved-path.ts";
import type { Hit, SearchEnd } from "./search.ts";

const MAX_HITS = 200;
const MAX_CHARACTERS = 25_000;

export const searchFilesTool = defineSearch(10_000);

/** `timeMs`: a pattern can take for ever, so the search is ended after this. */
export function defineSearch(timeMs: number) {
  return defineTool({
    name: "search_files",
    description:
      "Searches the text files of the project for a regular expression (JavaScript's), line by line, and gives file:line: text. Leaves out what .gitignore does, unless path is there. An empty pattern lists the files themselves.",
    input: z.strictObject({
      pattern: z.string().describe('a regular expression, such as "function \\\\w+Date"; (?i:…) ignores case; empty: all files'),
      path: z.string().default(".").describe("a folder or file to search in, relative to the project's folder"),
      glob: z.string().min(1).optional().describe('which files, as in .gitignore: "*.ts", "src/**/*.{ts,tsx}", "!*.test.ts"'),
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
        return report(hits, end);
      } catch (error) {
        if (!(error instanceof TimeUp)) throw error;
        const found = hits.length > 0 ? `${lines(hits).text}\n` : "";
        return `${found}… not finished: it took longer than ${timeMs / 1000} s. Narrow it down with path or glob, or use a simpler pattern.`;
      }
    },
  });
}

function report(hits: readonly Hit[], { files, isCut, large }: SearchEnd): string {
  const skipped =
    large.length > 0
      ? [`… not searched, being too large: ${large.slice(0, 10).map(printable).join(", ")}${large.length > 10 ? " …" : ""}`]
      : [];
  if (hits.length === 0) return [`Nothing found in ${files} files.`, ...skipped].join("\n");
  const { text, count } = lines(hits);
  const more = isCut || count < hits.length ? [`… there is more than these ${count}. Narrow it down with path, glob or the pattern.`] : [];
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
