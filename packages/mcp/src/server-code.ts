import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { McpServerConfig } from "@colloquy/schema";
import { isInterpreter, wordsIn } from "./code-runner.ts";
import { type Environment, filledInIfSet } from "./filled-in.ts";
import { isIn, realRoot, waysTo } from "./project-path.ts";

/** Extensions of code. */
const CODE =
  /\.(?:[cm]?[jt]sx?|py[cwz]?|pyd|rb|pl|pm|php|lua|sh|bash|zsh|fish|ps1|psm1|bat|cmd|exe|com|jar|class|war|wasm|so|dylib|dll|node|r|jl|exs?|go|rs|mk|gradle)$/i;
/** Settings can also name programs, but a server may write its own. */
const SETTINGS = /\.(?:toml|ya?ml|json5?|jsonc|ini|conf|cfg|env)$/i;
/** Options whose file can name code, whatever it is called: `NODE_OPTIONS` in a file of variables. Also before the file exists. */
const NAMES_SETTINGS = /^--(?:env-file|env-file-if-exists|experimental-config-file|init-file|rcfile)$/;
/** Files that a server may write itself. */
const DATA = /\.(?:db|sqlite3?|log|jsonl|ndjson|csv|tsv|md|txt|pdf|png|jpe?g|gif|svg|html?|xml)$/i;
/** What a name without an extension, or a folder, resolves to. */
const ENDINGS = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json", ".py"];
const ENTRIES = ["package.json", "index.js", "index.mjs", "index.cjs", "index.ts", "__main__.py", "__init__.py", "main.ts", "mod.ts"];

/**
 * The files in the project that a server's settings name as code: its command, scripts and modules in its arguments and variables.
 * Absolute paths as written. A missing file counts if its extension is one of code.
 */
export function serverCode(config: McpServerConfig, dir: string, env: Environment): readonly string[] {
  if (config.command === undefined) return [];
  const root = realRoot(dir);
  const fill = (text: string) => filledInIfSet(text, env);
  const base = resolve(root, fill(config.cwd ?? "."));
  const command = fill(config.command);
  const args = (config.args ?? []).map(fill);
  const runsFolders = isInterpreter(command);
  const folders = [base, ...foldersEntered(args, root, base)];
  const found = new Set<string>();
  const add = (word: string, kind: WordKind) => {
    for (const folder of folders) {
      const place = placeOf(folder, word);
      if (!isIn(root, place)) continue;
      for (const file of filesAt(place, kind, runsFolders)) found.add(file);
    }
  };
  if (/[\\/]/.test(command)) add(command, "code");
  const scripts = runsFolders ? scriptsIn(args) : new Set<string>();
  const first = args.find((arg) => !arg.startsWith("-"));
  for (const [at, arg] of args.entries()) {
    add(arg, scripts.has(arg) ? "script" : arg === first ? "code" : "any");
    const [, option, value] = /^(--[\w-]+)=(.+)$/s.exec(arg) ?? /^(-r)(.+)$/s.exec(arg) ?? [undefined, args[at - 1], arg];
    if (value !== undefined && NAMES_MODULE.test(option ?? "") && (runsFolders || option !== "-r")) add(value, "script");
    if (NAMES_SETTINGS.test(option ?? "") && value !== undefined && isIn(root, resolve(base, value))) found.add(resolve(base, value));
    // In a command line every word may be a program.
    for (const word of wordsIn(arg)) if (word !== arg) add(word, /\s/.test(arg) ? "code" : "any");
  }
  for (const value of Object.values(config.env ?? {}).map(fill)) {
    add(value, "any");
    for (const word of value.split(/[\s"'=,:;]+/)) if (word !== "" && word !== value) add(word, "any");
  }
  return [...found];
}

/** `script`: an interpreter runs it, whatever it is called. `code`: probably run. `any`: run if it looks like a program. */
type WordKind = "script" | "code" | "any";

/** Options whose value is a module that runs before the script. */
const NAMES_MODULE = /^(?:-r|--require|--import|--loader|--experimental-loader|--preload)$/;
/** A command line that enters a folder, or an option that does. */
const ENTERS_FOLDER = /^(?:cd|pushd|-C|--(?:chdir|directory|cwd|prefix))$/;

/**
 * The arguments of an interpreter that may be its script: up to the first that no option precedes, since what follows an option may be
 * the option's value, or up to one named like code.
 */
function scriptsIn(args: readonly string[]): ReadonlySet<string> {
  const scripts = new Set<string>();
  for (const [at, arg] of args.entries()) {
    if (arg.startsWith("-")) continue;
    scripts.add(arg);
    const before = args[at - 1];
    if (before === undefined || !before.startsWith("-") || (CODE.test(arg) && !NAMES_MODULE.test(before))) break;
  }
  return scripts;
}

/** Folders of the project from which a command line (`cd server && node index.js`) may start programs. */
function foldersEntered(args: readonly string[], root: string, base: string): readonly string[] {
  const words = args.flatMap((arg) => [arg, ...wordsIn(arg)]);
  if (!words.some((word) => ENTERS_FOLDER.test(word))) return [];
  const places = words.map((word) => resolve(base, word)).filter((place) => place !== base && isIn(root, place));
  return [...new Set(places)].filter((place) => statOf(place)?.isDirectory());
}

function placeOf(folder: string, word: string): string {
  if (!word.startsWith("file:")) return resolve(folder, word);
  try {
    return fileURLToPath(word);
  } catch {
    return resolve(folder, word); // Not an address of this machine.
  }
}

/** The same as paths relative to the project, with every link on the way: what tools may not write. */
export function protectedCode(configs: Iterable<McpServerConfig>, dir: string, env: Environment): readonly string[] {
  const root = realRoot(dir);
  return [...new Set([...configs].flatMap((config) => serverCode(config, dir, env).flatMap((place) => waysTo(root, place))))];
}

function filesAt(place: string, kind: WordKind, runsFolders: boolean): readonly string[] {
  const stat = statOf(place);
  const isCode = kind !== "any";
  if (stat?.isDirectory()) return isCode && runsFolders ? ENTRIES.map((name) => join(place, name)).filter(isFile) : [];
  if (stat && !stat.isFile()) return [];
  if (stat && kind === "script") return [place];
  if (stat) return !DATA.test(place) && (isCode || isNamedLikeCode(place) || looksExecutable(place, stat.mode)) ? [place] : [];
  const completed = isCode ? ENDINGS.map((ending) => place + ending).filter(isFile) : [];
  return completed.length > 0 ? completed : isNamedLikeCode(place) ? [place] : [];
}

const isNamedLikeCode = (place: string): boolean => CODE.test(place) || SETTINGS.test(place);

/** A server may write its own settings, so a difference means nothing. They are still protected from agents. */
export const isComparable = (place: string): boolean => !SETTINGS.test(place);

const statOf = (place: string) => {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined; // A part of it is a file, or closed to us.
  }
};

const isFile = (place: string): boolean => statOf(place)?.isFile() ?? false;

function looksExecutable(place: string, mode: number): boolean {
  if ((mode & 0o111) !== 0) return true;
  try {
    const fd = openSync(place, "r");
    try {
      const start = Buffer.alloc(4);
      readSync(fd, start, 0, 4, 0);
      return start.toString("latin1").startsWith("#!") || start.toString("latin1") === "\x7fELF";
    } finally {
      closeSync(fd);
    }
  } catch {
    return false; // An unreadable file can't run either.
  }
}
