import { entryOf } from "./entry-of.ts";
import { outputOf, type ShellCommand, type Word } from "./shell-script.ts";
import { hiddenIf, type Program, type Programs, joinWords } from "./unwrap.ts";

/** Functions that delete whole folders or lists of files, in various languages. */
const DESTROYS = /\b(?:rmtree|rm_rf?|remove_tree|remove_dir_all|removedirs|RemoveAll|emptyDirSync|rimraf|dropDatabase)\b/;
const REMOVES = /\b(?:rmSync|rmdirSync|removeSync|fs(?:\.promises)?\.(?:rm|rmdir)|Deno\.remove)\b/;
const LISTS = /\b(?:glob|walk|listdir|scandir|iterdir|readdir(?:Sync)?|Dir)\b/;
const UNLINKS = /\b(?:os\.(?:remove|unlink)|unlink(?:Sync)?|File\.delete)\b/;

/** In two passes. A single expression with "anything" in the middle would scan to the end of the code from every possible start. */
const destroys = (code: string): boolean =>
  DESTROYS.test(code) || behind(REMOVES, /\brecursive\b/, code) || behind(LISTS, UNLINKS, code) || behind(UNLINKS, LISTS, code);

function behind(first: RegExp, second: RegExp, code: string): boolean {
  const found = first.exec(code);
  return found !== null && second.test(code.slice(found.index + found[0].length));
}

const INSTALLS =
  /\binstall\.packages\s*\(|\b(?:remotes|devtools)::install|\bpak::pkg_install|\bPkg\.(?:add|rm|update|develop)\b|\bpip\.main\b/;
const WRITES = /write|dump|rename|copy|save|truncate|unlink|remove|spew|replace|\bopen\s*\([^)]{0,500}["'][rb]*[wax+]/i;

/** Code that is built from text at run time. */
const MADE: Readonly<Record<string, RegExp>> = {
  python: /(?<![.\w])(?:eval|exec|compile)\s*\(/,
  node: /(?<![.\w])eval\s*\(|\bFunction\s*\(|\bvm\.run/,
  deno: /(?<![.\w])eval\s*\(|\bFunction\s*\(/,
  bun: /(?<![.\w])eval\s*\(|\bFunction\s*\(/,
  perl: /\beval\b(?!\s*\{)/,
  ruby: /\b(?:eval|instance_eval|class_eval)\b/,
  php: /\beval\b/,
};

type Again = (words: readonly Word[]) => Programs;

interface Interpreter {
  readonly language: string;
  /** The option followed by code. */
  readonly codeFlag: RegExp;
}

/** An interpreter. Its code is in its arguments, piped into it, or in a file of the project. */
export function interpreted(
  command: ShellCommand,
  { language, codeFlag }: Interpreter,
  rest: readonly Word[],
  again: Again,
): readonly Programs[] {
  const at = rest.findIndex((word) => codeFlag.test(word.text.replace(/=[\s\S]*$/, "")));
  const given = rest[at];
  if (at >= 0 && given) {
    const code =
      given.text.includes("=") && given.text.startsWith("--") ? { ...given, text: given.text.replace(/^[^=]*=/, "") } : rest[at + 1];
    return read(language, code ?? { text: "", isKnown: true }, command.folder, again);
  }
  const file = rest.find((word) => !word.text.startsWith("-") || word.text === "-");
  if (rest.some((word) => word.text.startsWith("-m"))) return [];
  if (file && file.text !== "-" && !/^(?:run|repl)$/.test(file.text)) return [hiddenIf(!file.isKnown && file.text === "", rest)];
  if (command.feed) return read(language, command.feed, command.folder, again);
  if (!command.pipedFrom) return [];
  const said = outputOf(command.pipedFrom);
  return said?.isKnown
    ? read(language, said, command.folder, again)
    : [{ programs: [], hidden: [`${joinWords(command.pipedFrom.words)} | ${language}`] }];
}

function read(language: string, code: Word, folder: string, again: Again): readonly Programs[] {
  return [...inCode(code.text, folder, again), hiddenIf(!code.isKnown || (entryOf(MADE, language)?.test(code.text) ?? false), [code])];
}

/** Code in another language: what it does itself, and what its strings would run, as one string or as a list of words. */
export function inCode(code: string, folder: string, again: Again): readonly Programs[] {
  const words = code
    .replace(/\b\w+\s*:(?=\s*[["'`])|["'`,;()[\]{}<>|&]+/g, " ")
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, 400);
  const paths = WRITES.test(code) ? [...code.matchAll(/["'`]([^"'`\s]{1,200})["'`]/g)].flatMap(([, path]) => path ?? []) : [];
  const own: Program = {
    name: "",
    args: [code.trim().replace(/\s+/g, " ").slice(0, 200)],
    isKnown: true,
    writes: paths,
    folder,
    code: { destroys: destroys(code), installs: INSTALLS.test(code) },
  };
  return [
    { programs: [own], hidden: [] },
    ...words.map((_, at) => again(words.slice(at, at + 12).map((text) => ({ text, isKnown: true })))),
  ];
}
