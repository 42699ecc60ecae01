import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { McpServerConfig } from "@colloquy/schema";
import { isInterpreter, wordsIn } from "./code-runner.ts";
import { type Environment, filledInIfSet } from "./filled-in.ts";
import { isIn, realRoot, waysTo } from "./project-path.ts";

/** What a program loads and obeys, by its ending. */
const CODE =
  /\.(?:[cm]?[jt]sx?|py[cwz]?|pyd|rb|pl|pm|php|lua|sh|bash|zsh|fish|ps1|psm1|bat|cmd|exe|com|jar|class|war|wasm|so|dylib|dll|node|r|jl|exs?|go|rs|mk|gradle)$/i;
/** Settings can name programs too, but a server may write its own. */
const SETTINGS = /\.(?:toml|ya?ml|json5?|jsonc|ini|conf|cfg|env)$/i;
/** What a server may write itself. */
const DATA = /\.(?:db|sqlite3?|log|jsonl|ndjson|csv|tsv|md|txt|pdf|png|jpe?g|gif|svg|html?|xml)$/i;
/** What stands behind a name without an ending, or behind a folder. */
const ENDINGS = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json", ".py"];
const ENTRIES = ["package.json", "index.js", "index.mjs", "index.cjs", "index.ts", "__main__.py", "__init__.py", "main.ts", "mod.ts"];

/**
 * The files in the project that a server's settings name as code: its command, scripts and modules in its arguments and variables.
 * Absolute paths as they are written. A file that is not there yet counts if its ending says that it would be code.
 */
export function serverCode(config: McpServerConfig, dir: string, env: Environment): readonly string[] {
  if (config.command === undefined) return [];
  const root = realRoot(dir);
  const fill = (text: string) => filledInIfSet(text, env);
  const base = resolve(root, fill(config.cwd ?? "."));
  const command = fill(config.command);
  const args = (config.args ?? []).map(fill);
  const runsFolders = isInterpreter(command);
  const found = new Set<string>();
  const add = (word: string, isCode: boolean) => {
    const place = resolve(base, word);
    if (!isIn(root, place)) return;
    for (const file of filesAt(place, isCode, runsFolders)) found.add(file);
  };
  if (/[\\/]/.test(command)) add(command, true);
  const first = args.find((arg) => !arg.startsWith("-"));
  for (const arg of args) {
    add(arg, arg === first);
    // In a command line every word may be a program.
    for (const word of wordsIn(arg)) if (word !== arg) add(word, /\s/.test(arg));
  }
  for (const value of Object.values(config.env ?? {}).map(fill)) {
    add(value, false);
    for (const word of value.split(/[\s"'=,:;]+/)) if (word !== "" && word !== value) add(word, false);
  }
  return [...found];
}

/** The same as paths from the project's folder, with every link on the way: what tools may not write. */
export function protectedCode(configs: Iterable<McpServerConfig>, dir: string, env: Environment): readonly string[] {
  const root = realRoot(dir);
  return [...new Set([...configs].flatMap((config) => serverCode(config, dir, env).flatMap((place) => waysTo(root, place))))];
}

function filesAt(place: string, isCode: boolean, runsFolders: boolean): readonly string[] {
  const stat = statOf(place);
  if (stat?.isDirectory()) return isCode && runsFolders ? ENTRIES.map((name) => join(place, name)).filter(isFile) : [];
  if (stat && !stat.isFile()) return [];
  if (stat) return !DATA.test(place) && (isCode || isNamedLikeCode(place) || looksExecutable(place, stat.mode)) ? [place] : [];
  const completed = isCode ? ENDINGS.map((ending) => place + ending).filter(isFile) : [];
  return completed.length > 0 ? completed : isNamedLikeCode(place) ? [place] : [];
}

const isNamedLikeCode = (place: string): boolean => CODE.test(place) || SETTINGS.test(place);

/** A server may write its settings itself, so that they differ says nothing. They are protected from agents all the same. */
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
    return false; // What we cannot read we cannot run.
  }
}
