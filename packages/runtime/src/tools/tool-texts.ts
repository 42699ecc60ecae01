import type { Language } from "@colloquy/core";
import { zh } from "./tool-texts-zh.ts";

/** Descriptions and results of the tools in the groups `files` and `shell`, as models read them. The machine's own error texts are not translated. */
export interface ToolTexts {
  readonly folderPath: string;
  readonly listDir: string;
  readonly emptyFolder: string;
  readonly moreEntries: (count: number) => string;
  readonly leftOut: (names: string) => string;
  readonly isFile: (path: string) => string;
  readonly readFile: string;
  readonly firstLine: string;
  readonly lastLine: string;
  readonly notUtf8: string;
  readonly noLine: (line: number, count: number) => string;
  readonly longLine: (line: number, count: number, characters: number) => string;
  readonly moreLines: (from: number, to: number, count: number) => string;
  readonly writeFile: string;
  readonly wrote: (bytes: number, path: string) => string;
  readonly editFile: string;
  readonly oldText: string;
  readonly newText: string;
  readonly everyPlace: string;
  readonly sameText: string;
  readonly notEditable: (path: string) => string;
  readonly replaced: (count: number, path: string, lines: string) => string;
  readonly severalPlaces: (count: number, path: string, lines: string) => string;
  readonly notFound: (path: string) => string;
  readonly nearestPlace: (path: string, line: number, isWhiteSpaceOnly: boolean, shown: string) => string;
  readonly searchFiles: string;
  readonly pattern: string;
  readonly searchPath: string;
  readonly glob: string;
  readonly notFinished: (seconds: number) => string;
  readonly tooLargeToSearch: (names: string) => string;
  readonly nothingFound: (files: number) => string;
  readonly moreHits: (count: number) => string;
  readonly runCommand: (hasNetwork: boolean) => string;
  readonly cwd: string;
  readonly timeoutMs: string;
}

const en: ToolTexts = {
  folderPath: "relative to the project's folder",
  listDir:
    "Lists a folder of the project: one name per line, folders with a trailing /, links with their target. Names excluded by .gitignore are listed at the end; list such a folder by its path.",
  emptyFolder: "(empty)",
  moreEntries: (count) => `… and ${count} more. Find them with search_files: an empty pattern, this path, and a glob such as "a*".`,
  leftOut: (names) => `(left out by .gitignore: ${names})`,
  isFile: (path) => `"${path}" is a file. Use read_file.`,
  readFile: "Reads a text file of the project. Long files are cut: give from and to (line numbers, from 1) for the rest.",
  firstLine: "the first line",
  lastLine: "the last line",
  notUtf8: "… this file is not UTF-8; it was read as Latin-1.",
  noLine: (line, count) => `… there is no line ${line}: the file has ${count}.`,
  longLine: (line, count, characters) =>
    `… line ${line} of ${count} goes on: ${characters} characters in all, too long to be shown. Use search_files, or run_command (cut -c).`,
  moreLines: (from, to, count) => `… lines ${from} to ${to} of ${count}; ask with from: ${to + 1} for more.`,
  writeFile:
    "Writes a whole text file of the project. Creates missing folders; replaces an existing file. To change a part of a file, use edit_file.",
  wrote: (bytes, path) => `Wrote ${bytes} bytes to ${path}.`,
  editFile:
    "Replaces text in a file of the project. `old` must occur in the file exactly as given, including white space and indentation, and only once: include enough lines around it, or set all to replace it everywhere. Read the file first. If it does not match, nothing is changed and the nearest place is shown.",
  oldText: "the text as it is now",
  newText: "the text that takes its place; empty to delete",
  everyPlace: "replace every occurrence",
  sameText: "Nothing to do: old and new are the same.",
  notEditable: (path) => `"${path}" is not UTF-8; editing it here would damage it. Use run_command.`,
  replaced: (count, path, lines) =>
    count === 1 ? `Replaced 1 place in ${path}, at line ${lines}.` : `Replaced ${count} places in ${path}, at lines ${lines}.`,
  severalPlaces: (count, path, lines) =>
    `Nothing was changed: old occurs ${count} times in ${path} (lines ${lines}). Give more of the lines around the one you mean, or set all to replace every one.`,
  notFound: (path) => `Nothing was changed: old does not occur in ${path}, nor anything like it. Read the file again; it may have changed.`,
  nearestPlace: (path, line, isWhiteSpaceOnly, shown) =>
    `Nothing was changed: old does not occur in ${path}. The nearest place is line ${line}${isWhiteSpaceOnly ? ", which differs in white space only" : ""}:\n${shown}\nCopy the text exactly as it is there, without the line numbers.`,
  searchFiles:
    "Searches the text files of the project for a regular expression (JavaScript's), line by line, and returns file:line: text. Skips files excluded by .gitignore, unless path leads there. An empty pattern lists the files themselves.",
  pattern: 'a regular expression, such as "function \\\\w+Date"; (?i:…) ignores case; empty: all files',
  searchPath: "a folder or file to search in, relative to the project's folder",
  glob: 'which files, as in .gitignore: "*.ts", "src/**/*.{ts,tsx}", "!*.test.ts"',
  notFinished: (seconds) => `… not finished: it took longer than ${seconds} s. Narrow it down with path or glob, or use a simpler pattern.`,
  tooLargeToSearch: (names) => `… not searched, being too large: ${names}`,
  nothingFound: (files) => `Nothing found in ${files} files.`,
  moreHits: (count) => `… more than ${count} matches. Narrow it down with path, glob or the pattern.`,
  runCommand: (hasNetwork) =>
    [
      "Runs a shell command (bash) in the project's folder and gives its exit code and output.",
      "It sees the system's programs and the project, but nothing hidden or outside, and no keys. It gets no input, and all its processes end with it.",
      hasNetwork ? "The network can be reached." : "There is no network.",
      "Prefer the file tools for reading and changing files.",
    ].join(" "),
  cwd: "the folder to run it in, relative to the project's",
  timeoutMs: "its time limit",
};

export const toolTexts: Readonly<Record<Language, ToolTexts>> = { en, zh };
