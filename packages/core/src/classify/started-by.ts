import type { Word } from "./shell-script.ts";
import { hiddenIf, type Programs } from "./unwrap.ts";

type Script = (text: string) => Programs;
type Again = (words: readonly Word[]) => Programs;

const word = (text: string): Word => ({ text, isKnown: true });

/** Options before git's verb that take a value. */
const VALUED = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"]);

/** Git's arguments, starting with its verb. */
export function fromVerb(args: readonly string[]): readonly string[] {
  let at = 0;
  while ((args[at] ?? "").startsWith("-")) at += VALUED.has(args[at] ?? "") ? 2 : 1;
  return args.slice(at);
}

/** Programs that git starts: through an alias, a setting that names a program, or a verb that runs commands. */
export function startedByGit(rest: readonly Word[], script: Script, again: Again): readonly Programs[] {
  const found: Programs[] = [];
  let at = 0;
  for (; (rest[at]?.text ?? "").startsWith("-"); at += VALUED.has(rest[at]?.text ?? "") ? 2 : 1) {
    if (rest[at]?.text === "-c") found.push(...setting(rest[at + 1]?.text ?? "", rest, script, again));
  }
  const verb = rest[at]?.text;
  const args = rest.slice(at + 1);
  const valueOf = (...options: readonly string[]): readonly Programs[] =>
    args.flatMap(({ text }, nth) => {
      const given = options.includes(text)
        ? args[nth + 1]?.text
        : options.flatMap((one) => (text.startsWith(`${one}=`) ? [text.slice(one.length + 1)] : []))[0];
      return given === undefined ? [] : [script(given)];
    });
  if (verb === "config") {
    const key = args.findIndex(({ text }) => text.includes(".") && !text.startsWith("-"));
    if (key >= 0) found.push(...setting(`${args[key]?.text}=${args[key + 1]?.text ?? ""}`, [], script, again));
  }
  if (verb === "rebase") found.push(...valueOf("-x", "--exec"));
  if (verb === "difftool" || verb === "mergetool") found.push(...valueOf("-x", "--extcmd", "-t", "--tool"));
  if (verb === "bisect" && args[0]?.text === "run") found.push(again(args.slice(1)));
  if (verb === "submodule" && args[0]?.text === "foreach") {
    const inner = args.slice(1).filter(({ text }) => !text.startsWith("--"));
    found.push(inner.length === 1 ? script(inner[0]?.text ?? "") : again(inner));
  }
  return found;
}

/** `alias.x=reset --hard`, `alias.x=!npm install`, `core.pager=less`. */
function setting(text: string, rest: readonly Word[], script: Script, again: Again): readonly Programs[] {
  const [, key = "", value = ""] = /^([^=]*)=([\s\S]*)$/.exec(text) ?? [];
  if (value.startsWith("!")) return [script(value.slice(1))];
  if (key.startsWith("alias.")) return [again([word("git"), ...value.split(/\s+/).map(word)])];
  if (/^clean\.requireforce$/i.test(key) && rest.some((one) => one.text === "clean")) return [again(["git", "clean", "-f"].map(word))];
  return /\s/.test(value) && /(?:command|pager|editor|helper|proxy|program|cmd|fsmonitor|hookspath|textconv|external|driver)/i.test(key)
    ? [script(value)]
    : [];
}

/** sed's `e` runs a command, or the resulting line. */
export function executedBySed(rest: readonly Word[], script: Script, words: readonly Word[]): readonly Programs[] {
  return rest.flatMap(({ text }): Programs[] => {
    const given = givenToE(text);
    if (given !== undefined && !text.startsWith("-")) return [script(given)];
    return [hiddenIf(substitutesByE(text), words)];
  });
}

/** The text after an `e` at the start of a sed command, perhaps after addresses. */
function givenToE(text: string): string | undefined {
  for (const { index } of text.matchAll(/e\s+(?=\S)/g)) {
    let from = index;
    while (from > 0 && /[\s\d$,]/.test(text[from - 1] ?? "")) from -= 1;
    if (from === 0 || /[;{\n]/.test(text.slice(from - 1, index))) return text.slice(index + 1).trimStart();
  }
  return undefined;
}

/** `s/a/b/e`, with any delimiter. */
const substitutesByE = (text: string): boolean =>
  /^s[^\w\s]/.test(text) &&
  text
    .slice(2)
    .split(text[1] ?? "")
    .slice(2)
    .some((flags) => /^[gpiIm\d]*e/.test(flags));
