import { isManager } from "./dependencies.ts";
import { inCode, interpreted } from "./code.ts";
import type { Effort } from "./effort.ts";
import { entryOf } from "./entry-of.ts";
import { withoutEndSlashes } from "./path.ts";
import { FED, INTERPRETERS, RUNS, SAYING, SHELLS, STARTING, WRAPPERS, type Wrapper } from "./starters.ts";
import { executedBySed, startedByGit } from "./started-by.ts";
import { commandsIn, newScope, outputOf, type Scope, type ShellCommand, type Word } from "./shell-script.ts";

/** A program that finally runs, without wrappers before it. */
export interface Program {
  /** Without its folder. */
  readonly name: string;
  readonly args: readonly string[];
  /** Whether its arguments are known in advance. */
  readonly isKnown: boolean;
  readonly writes: readonly string[];
  readonly folder: string;
  /** Its input, if known. */
  readonly feed?: string | undefined;
  /** Set if code in another language does the work. */
  readonly code?: { readonly destroys: boolean; readonly installs: boolean };
}

/** Everything a script runs. `hidden`: parts that are unknown before it runs, in their own words. */
export interface Programs {
  readonly programs: readonly Program[];
  readonly hidden: readonly string[];
}

const MAX_DEPTH = 8;

export function programsIn(script: string, scope: Scope = newScope(), depth = 0): Programs {
  const programs: Program[] = [];
  const hidden: string[] = [];
  const add = (more: Programs) => {
    programs.push(...more.programs);
    hidden.push(...more.hidden);
  };
  if (depth > MAX_DEPTH) return { programs, hidden: [beginning(script)] };
  for (const command of commandsIn(script, scope)) {
    add(unwrap(command, command.words, { scope, depth, isGuess: false }));
    // A variable set for a program may name another one to start: a pager, an editor, a shell.
    for (const { text } of command.words.length > 0 ? command.sets : [])
      if (/\s/.test(text)) add(guessed(programsIn(text, scope, depth + 3)));
    for (const { text } of command.writes) scope.written.add(text);
  }
  if (depth === 0 && scope.effort.isExceeded) hidden.push(beginning(script));
  return { programs, hidden };
}

const MAX_SHOWN_CHARACTERS = 200;
/** Shortens an unparsed script to what identifies it. */
export const beginning = (script: string): string =>
  script.length > MAX_SHOWN_CHARACTERS ? `${script.slice(0, MAX_SHOWN_CHARACTERS)}…` : script;

/** It may be a script or only text: the programs in it count, unknown parts do not. */
const guessed = ({ programs }: Programs): Programs => ({
  programs: programs.filter(({ name, args }) => name !== "" && args.length > 0),
  hidden: [],
});

/** How a command is reached: its scope, and its depth. */
interface Nesting {
  readonly scope: Scope;
  readonly depth: number;
  /** Set for a command's last words, each of which has already been tried as a beginning. */
  readonly isGuess: boolean;
}

function unwrap(command: ShellCommand, words: readonly Word[], nesting: Nesting): Programs {
  const { scope, depth, isGuess } = nesting;
  const [first] = words;
  const writes = command.writes.map((word) => word.text);
  if (!first)
    return { programs: writes.length > 0 ? [{ name: "", args: [], isKnown: true, writes, folder: command.folder }] : [], hidden: [] };
  if (depth > MAX_DEPTH) return { programs: [], hidden: [beginning(joinWords(words))] };
  const feed = feedOf(command)?.text;
  const length = words.reduce((sum, word) => sum + word.text.length, feed?.length ?? 0);
  if (!scope.effort.payForProgram(words.length, length)) return NOT_READ;
  const rest = words.slice(1);
  // npm@latest is npm.
  const name = baseName(first.text).replace(/(?<=.)@[\s\S]*$/, "");
  const again = (inner: readonly Word[]) => unwrap(command, inner, { scope, depth: depth + 1, isGuess });
  const script = (text: string) => programsIn(text, { ...scope, folder: command.folder }, depth + 1);
  const own: Program = {
    name,
    args: rest.map((word) => word.text),
    isKnown: rest.every((word) => word.isKnown),
    writes,
    folder: command.folder,
    feed,
  };
  // A pattern in this place may match any program, and a file that the script has just written may contain any.
  const isPlain = first.isKnown && !isPattern(first.text) && !scope.written.has(first.text) && !isJustWritten(scope, first);
  const withOwn = (...more: readonly Programs[]): Programs => ({
    programs: [own, ...more.flatMap((one) => one.programs)],
    hidden: [...(isPlain ? [] : [joinWords(words)]), ...more.flatMap((one) => one.hidden)],
  });
  for (const path of downloadedBy(own)) scope.written.add(path);

  if (SHELLS.has(name)) return withOwn(shell(command, rest, script, scope));
  if (name === "eval") {
    const said = rest.map((word) => word.text).join(" ");
    return withOwn(
      script(said),
      hiddenIf(
        rest.some((word) => !word.isKnown),
        words,
      ),
    );
  }
  if (name === "source" || name === ".") return withOwn(hiddenIf(rest[0]?.isKnown === false || isJustWritten(scope, rest[0]), words));
  const oneOf = (inner: readonly Word[]) => unwrap(command, inner, { scope, depth: depth + 3, isGuess: true });
  const anyOf = () => (isGuess ? [] : runAny(rest, oneOf, script).map(guessed));
  const started = () =>
    STARTING.has(name)
      ? runAny(
          rest.filter((word) => /\s/.test(word.text)),
          oneOf,
          script,
        ).map(guessed)
      : [];
  if (["su", "runuser", "script", "flock", "nix-shell", "nix"].includes(name))
    return withOwn(...givenScripts(rest, script, again, scope.effort), ...anyOf());
  if (name === "git") return withOwn(...startedByGit(rest, script, again));
  if (name === "powershell" || name === "pwsh")
    return withOwn(
      ...anyOf(),
      hiddenIf(
        rest.some((word) => /^-e(?:nc?|ncodedcommand)?$/i.test(word.text)),
        words,
      ),
    );
  const split = name === "env" ? splitString(rest) : undefined;
  if (split) return withOwn(script(split));
  const wrapper = entryOf(WRAPPERS, name);
  if (wrapper) {
    const inner = behindOptions(rest, wrapper);
    // For these one quoted word is a whole command.
    const isScript = /\s/.test(inner[0]?.text ?? "") && (inner.length === 1 || name === "parallel");
    return withOwn(
      isScript ? script(inner[0]?.text ?? "") : again(inner),
      hiddenIf(name === "xargs" && isFilledIn(rest, inner[0]), words),
      ...started(),
      ...(FED.has(name) && own.feed !== undefined ? [guessed(script(own.feed))] : []),
    );
  }
  const verbs = entryOf(RUNS, name);
  const verbAt = rest.findIndex((word) => !word.text.startsWith("-"));
  if (verbs?.includes(rest[verbAt]?.text ?? "")) return withOwn(...(isGuess ? [] : runAny(rest.slice(verbAt + 1), oneOf, script)));
  if (name === "find" || name === "fd") return withOwn(...executedBy(rest, again, scope.effort));
  const language = name.replace(/(?<![\d.])[\d.]+$/, "");
  const codeFlag = entryOf(INTERPRETERS, language);
  if (codeFlag) return withOwn(...interpreted(command, { language, codeFlag }, rest, oneOf));
  if (["awk", "gawk", "mawk"].includes(name)) {
    const code = rest.map((word) => word.text).join(" ");
    return withOwn(...inCode(code, own.folder, oneOf), hiddenIf(/\|\s*"(?:ba|da|z)?sh"/.test(code), words));
  }
  if (name === "sed" || name === "gsed") return withOwn(...executedBySed(rest, script, words));
  if (SAYING.has(name) || isManager(name)) return withOwn(...started());
  return withOwn(...anyOf(), ...(FED.has(name) && own.feed !== undefined ? [guessed(script(own.feed))] : []));
}

/** Nothing was parsed; the budget records that. */
const NOT_READ: Programs = { programs: [], hidden: [] };

/** `*`, `?` and `[…]` match names that are only known at run time. */
const isPattern = (text: string): boolean => /[*?]/.test(text) || text.lastIndexOf("]") > text.indexOf("[") + 1;

/** Its input from a here-document, or from a command that only prints text. */
const feedOf = ({ feed, pipedFrom }: ShellCommand): Word | undefined => {
  const word = feed ?? (pipedFrom && outputOf(pipedFrom));
  return word?.isKnown ? word : undefined;
};

const isJustWritten = ({ written }: Scope, file: Word | undefined): boolean =>
  file !== undefined && (written.has(file.text) || written.has(file.text.replace(/^\.\//, "")) || written.has(`./${file.text}`));

const downloadedBy = ({ name, args }: Program): readonly string[] => {
  const option = entryOf({ curl: /^(?:-[a-zA-Z]*o|--output)$/, wget: /^(?:-[a-zA-Z]*O|--output-document)$/ }, name);
  return option ? args.flatMap((arg, at) => (option.test(arg) ? [args[at + 1] ?? ""] : [])) : [];
};

/** `xargs -I% % install`: the program comes from the input. */
function isFilledIn(rest: readonly Word[], first: Word | undefined): boolean {
  const at = rest.findIndex((word) => /^(?:-I|--replace|-i)/.test(word.text));
  const sign = (rest[at]?.text ?? "").replace(/^(?:-I|-i|--replace=?)/, "") || (rest[at + 1]?.text ?? "{}");
  return at >= 0 && first !== undefined && first.text.includes(sign);
}

export const joinWords = (words: readonly Word[]): string =>
  words
    .map((word) => word.text)
    .join(" ")
    .trim();

export const hiddenIf = (isHidden: boolean, words: readonly Word[]): Programs => ({
  programs: [],
  hidden: isHidden ? [joinWords(words)] : [],
});

const baseName = (path: string): string => {
  const whole = withoutEndSlashes(path);
  return whole.slice(whole.lastIndexOf("/") + 1).replace(/\.(?:exe|cmd|bat|ps1)$/i, "");
};

/** A script in `-c`, on standard input, or in a file, which belongs to the project. */
function shell(command: ShellCommand, rest: readonly Word[], script: (text: string) => Programs, scope: Scope): Programs {
  const at = rest.findIndex((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word.text));
  const given = rest[at + 1];
  if (at >= 0 && given) {
    const inner = script(given.text);
    return { programs: inner.programs, hidden: [...inner.hidden, ...(given.isKnown ? [] : [`sh -c ${given.text}`])] };
  }
  const file = rest.find((word) => !word.text.startsWith("-"));
  if (file) return { programs: [], hidden: file.isKnown && !isJustWritten(scope, file) ? [] : [joinWords(rest)] };
  if (command.feed) return script(command.feed.text);
  if (!command.pipedFrom) return { programs: [], hidden: [] };
  const said = outputOf(command.pipedFrom);
  return said?.isKnown ? script(said.text) : { programs: [], hidden: [`${joinWords(command.pipedFrom.words)} | sh`] };
}

/** `-c "…"` or `--run "…"` somewhere among the arguments, or a command after them. */
function givenScripts(
  rest: readonly Word[],
  script: (text: string) => Programs,
  again: (words: readonly Word[]) => Programs,
  effort: Effort,
): readonly Programs[] {
  return fewPlaces(rest, /^(?:-c|--command|--run|-[a-z]*c)$/, effort).flatMap((at): Programs[] => {
    const given = rest[at + 1];
    if (!given) return [];
    return [/\s/.test(given.text) ? script(given.text) : again(rest.slice(at + 1))];
  });
}

const MAX_PLACES = 16;

/** Positions of such words. A command is parsed after each, so only a few are allowed. */
function fewPlaces(words: readonly Word[], option: RegExp, effort: Effort): readonly number[] {
  const places = words.flatMap((word, at) => (option.test(word.text) ? [at] : []));
  if (places.length > MAX_PLACES) effort.giveUp();
  return places.slice(0, MAX_PLACES);
}

function splitString(rest: readonly Word[]): string | undefined {
  const at = rest.findIndex((word) => /^(?:-S|--split-string)/.test(word.text));
  if (at < 0) return undefined;
  const own = (rest[at]?.text ?? "").replace(/^(?:-S|--split-string=?)/, "");
  return [own, ...rest.slice(at + 1).map((word) => word.text)].join(" ").trim();
}

function behindOptions(rest: readonly Word[], { valued, skips = 0 }: Wrapper): readonly Word[] {
  let at = 0;
  for (; at < rest.length; at += 1) {
    const { text } = rest[at] ?? { text: "" };
    if (text === "--") {
      at += 1;
      break;
    }
    // -u anna, or the last of several short options (-iu anna). Text right after the option is its value.
    const isValued =
      valued.includes(text) || (/^-[a-zA-Z]{2,}$/.test(text) && !valued.includes(text.slice(0, 2)) && valued.includes(`-${text.at(-1)}`));
    if (isValued) at += 1;
    else if (!text.startsWith("-") && !/^[A-Za-z_][A-Za-z0-9_]*=/.test(text)) break;
  }
  return rest.slice(at + skips);
}

/** It is unclear which word begins the command, because options and names of images or environments precede it. Each is tried. */
const runAny = (
  rest: readonly Word[],
  again: (words: readonly Word[]) => Programs,
  script: (text: string) => Programs,
): readonly Programs[] =>
  rest.flatMap((word, at) => {
    if (at > 8) return [];
    // A whole command in one word, perhaps after its option.
    const text = word.text.replace(/^(?:[-\w.]+[=:])*[!:+\s]*/, "");
    if (/\s/.test(text)) return [script(text)];
    return word.text.startsWith("-") ? [] : [again(rest.slice(at))];
  });

function executedBy(rest: readonly Word[], again: (words: readonly Word[]) => Programs, effort: Effort): readonly Programs[] {
  return fewPlaces(rest, /^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/, effort).map((at) => {
    const inner = rest.slice(at + 1);
    const end = inner.findIndex((one) => one.text === ";" || one.text === "+");
    return again(end < 0 ? inner : inner.slice(0, end));
  });
}
