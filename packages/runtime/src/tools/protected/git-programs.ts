// Files of the project that a person's git would run: hooks, filters, pagers and the like named in git's settings. An agent that could
// write them would run as the person at the next `git status`.
import { execFile, spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { boundedText, MAX_SETTINGS_BYTES } from "../files/bounded-text.ts";
import { isDotGit } from "../files/hidden.ts";
import { assertReadableGit, unreadable } from "./own-git.ts";

const GIT = ["/usr/bin/git", "/usr/local/bin/git", "/opt/homebrew/bin/git"];
const TIME_MS = 3_000;
const MAX_LISTING_BYTES = 16_000_000;
/** After that long, git is asked again for settings that it couldn't read in time. */
const RETRY_MS = 60_000;

/** Settings that name a file or folder from which git takes programs or more settings. */
const PATHS = /^(?:core\.hookspath|include\.path|includeif\..*\.path|init\.templatedir)$/;
/** Settings that name a command with arguments. */
const COMMANDS =
  /^(?:core\.(?:fsmonitor|pager|editor|sshcommand|askpass|gitproxy|alternaterefscommand)|pager\..*|sequence\.editor|interactive\.difffilter|diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|(?:merge|diff)tool\..*\.(?:cmd|path)|filter\..*\.(?:clean|smudge|process)|credential\.(?:.*\.)?helper|gpg\.(?:.*\.)?(?:program|defaultkeycommand)|alias\..*|trailer\..*\.(?:cmd|command)|(?:man|browser|guitool)\..*\.(?:cmd|path)|hook\..*\.command|uploadpack\.packobjectshook|remote\..*\.(?:uploadpack|receivepack)|submodule\..*\.update|sendemail\..*cmd|lfs\.customtransfer\..*\.path)$/;
/** If the hooks folder is the project's own folder, only these are hooks. */
const HOOKS =
  "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-auto-gc post-rewrite post-index-change fsmonitor-watchman reference-transaction push-to-checkout sendemail-validate".split(
    " ",
  );

interface Known {
  readonly state: string;
  readonly sources: readonly string[];
  readonly programs: readonly string[];
}
const known = new Map<string, Known>();

/** Repositories whose settings git did not finish reading, by folder, with the time to ask again. */
const stuck = new Map<string, number>();

/** Work trees of nested repositories by project, from the last survey. */
const nested = new Map<string, readonly string[]>();

/** `repositories`: git folders of the project, as a survey lists them. */
export function rememberRepositories(root: string, repositories: readonly string[]): void {
  nested.set(
    root,
    repositories.map((path) => (isDotGit(basename(path)) ? dirname(path) : path)).filter((path) => path !== "." && path !== ""),
  );
}

/**
 * Paths in the project, with slashes, that tools may read but not write, including everything below them. Git is queried when a setting
 * changed. Nested repositories count if they were remembered, or if the path `near` is in them.
 */
export function gitPrograms(root: string, near = ""): readonly string[] {
  return [...new Set(treesToAsk(root, near).flatMap((tree) => knownOf(root, tree) ?? programsOf(root, tree, settingsOf(root, tree))))];
}

/** The same beforehand, without blocking the process: `gitPrograms` then starts git only if a setting changed in between. */
export async function learnGitPrograms(root: string, near = ""): Promise<void> {
  for (const tree of treesToAsk(root, near)) if (!knownOf(root, tree)) programsOf(root, tree, await settingsSoon(root, tree));
}

/** Folders whose repositories may name programs. */
function treesToAsk(root: string, near: string): readonly string[] {
  const above = near.split("/").flatMap((_, at, parts) => {
    const folder = parts.slice(0, at).join("/");
    return folder !== "" && existsSync(join(root, folder, ".git")) ? [folder] : [];
  });
  const trees = new Set([...(nested.get(root) ?? []), ...above]);
  const places = [...trees].map((tree) => join(root, tree));
  for (const tree of [root, ...places]) assertReadableGit(root, topOf(tree));
  return [root, ...places.filter(mayNamePrograms)];
}

const keyOf = (root: string, tree: string): string => `${root}\0${tree}`;

function knownOf(root: string, tree: string): readonly string[] | undefined {
  const before = known.get(keyOf(root, tree));
  return before && stateOf(topOf(tree), before.sources) === before.state ? before.programs : undefined;
}

/** Paths in the project named by the settings of a folder's repository. */
function programsOf(root: string, tree: string, settings: readonly Setting[]): readonly string[] {
  const top = topOf(tree);
  const sources = [...new Set(settings.map(({ source }) => source))];
  const places = [...settings.flatMap((setting) => placesIn(setting, [...new Set([tree, top])])), ...linkedHooks(top)];
  const programs = [...new Set(places.flatMap((place) => insideOf(root, place)))];
  known.set(keyOf(root, tree), { state: stateOf(top, sources), sources, programs });
  return programs;
}

/** The top of a folder's work tree: git resolves relative paths of its settings from there. */
function topOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return folder;
  }
}

/** Without one of these words a nested repository's settings name no program: git isn't started for it. */
const NAMES_PROGRAMS =
  /hookspath|include|fsmonitor|pager|editor|command|askpass|proxy|difffilter|external|textconv|driver|cmd|path\s*=|filter|helper|program|alias|hook|uploadpack|receivepack|update/i;

function mayNamePrograms(tree: string): boolean {
  const dotGit = join(tree, ".git");
  const isFolder = statSync(dotGit, { throwIfNoEntry: false })?.isDirectory() === true;
  // A `.git` file points elsewhere: git knows where.
  if (!isFolder && existsSync(dotGit)) return true;
  const folder = isFolder ? dotGit : tree;
  return linkedHooks(tree).length > 0 || ["config", "config.worktree"].some((name) => NAMES_PROGRAMS.test(readText(join(folder, name))));
}

/** Missing: it names nothing. */
const readText = (file: string): string => boundedText(file, MAX_SETTINGS_BYTES) ?? "";

interface Setting {
  readonly key: string;
  readonly value: string;
  /** The file that says so. */
  readonly source: string;
}

/** It took too long, or listed too much. */
const ENDED_EARLY = new Set(["ETIMEDOUT", "ENOBUFS"]);
/** Listing settings starts no program that they name. */
const LIST = ["config", "--list", "--includes", "--show-origin", "-z"];

function listing(root: string, tree: string) {
  const { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL } = process.env;
  const env = { PATH: "/usr/bin:/bin", HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL };
  const stuckError = () =>
    unreadable(root, join(topOf(tree), ".git/config"), `or a file that it includes takes longer than ${TIME_MS / 1_000} s to read`);
  if ((stuck.get(tree) ?? 0) > performance.now()) throw stuckError();
  return {
    git: GIT.find((place) => existsSync(place)),
    options: { cwd: tree, env, encoding: "utf8", timeout: TIME_MS, maxBuffer: MAX_LISTING_BYTES } as const,
    /** `stdout`: nothing if git failed. */
    read: (stdout: string, isEndedByUs: boolean): readonly Setting[] => {
      if (!isEndedByUs) {
        stuck.delete(tree);
        return settingsIn(stdout, tree);
      }
      // What it names is unknown then, so nothing may be written that it could name.
      stuck.set(tree, performance.now() + RETRY_MS);
      throw stuckError();
    },
  };
}

function settingsOf(root: string, tree: string): readonly Setting[] {
  const { git, options, read } = listing(root, tree);
  if (git === undefined) return [];
  const { stdout, status, error } = spawnSync(git, LIST, options);
  return read(status === 0 ? stdout : "", ENDED_EARLY.has((error as NodeJS.ErrnoException | undefined)?.code ?? ""));
}

async function settingsSoon(root: string, tree: string): Promise<readonly Setting[]> {
  const { git, options, read } = listing(root, tree);
  if (git === undefined) return [];
  return new Promise((resolve, reject) => {
    execFile(git, LIST, options, (error, stdout) => {
      try {
        resolve(read(error ? "" : stdout, error?.killed === true));
      } catch (stuckOrBroken) {
        reject(stuckOrBroken as Error);
      }
    });
  });
}

function settingsIn(stdout: string, tree: string): readonly Setting[] {
  const fields = stdout.split("\0");
  const settings: Setting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [origin = "", entry = ""] = [fields[at], fields[at + 1]];
    const end = entry.indexOf("\n");
    if (!origin.startsWith("file:") || end < 0) continue;
    settings.push({ key: entry.slice(0, end).toLowerCase(), value: entry.slice(end + 1), source: resolve(tree, origin.slice(5)) });
  }
  return settings;
}

/** `bases`: folders that relative paths may refer to. */
function placesIn({ key, value, source }: Setting, bases: readonly string[]): readonly string[] {
  if (PATHS.test(key)) {
    const places = (key.startsWith("include") ? [dirname(source)] : bases).map((base) => resolve(base, atHome(value)));
    return key === "core.hookspath" ? places.flatMap((place) => hooksAt(place, bases)) : places;
  }
  if (!COMMANDS.test(key)) return [];
  return bases.flatMap((base) =>
    value
      .replaceAll(/\$\(git rev-parse --show-toplevel\)|\$\{?PWD\}?/g, base)
      .split(/[\s'"`;|&()<>=!]+/)
      .filter((word) => word !== "")
      .map((word, nth) => ({ word, place: resolve(base, atHome(word)), isFirst: nth === 0 }))
      .filter(({ word, place, isFirst }) => isProgramFile(place, isFirst ? NAMES_PATH : NAMES_FILE, word))
      .map(({ place }) => place),
  );
}

function hooksAt(place: string, bases: readonly string[]): readonly string[] {
  if (bases.includes(place)) return HOOKS.map((name) => join(place, name));
  // Husky's own scripts there start those in the folder above.
  return basename(place) === "_" ? [place, dirname(place)] : [place];
}

/** A hook in the git folder may be a link to a script of the project. */
function linkedHooks(tree: string): readonly string[] {
  const folder = join(tree, ".git/hooks");
  try {
    return readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((place) => lstatSync(place).isSymbolicLink())
      .map((place) => resolve(folder, readlinkSync(place)));
  } catch {
    return []; // No hooks.
  }
}

/** Both the given name and its target. */
function insideOf(root: string, place: string): readonly string[] {
  return [place, realPath(place)].flatMap((one) => {
    const inside = relative(root, one).split(sep).join("/");
    return inside === "" || inside === ".." || inside.startsWith("../") ? [] : [inside];
  });
}

function stateOf(top: string, sources: readonly string[]): string {
  const home = homedir();
  const places = [
    ...[".git", ".git/config", ".git/config.worktree", ".git/hooks"].map((name) => join(top, name)),
    join(home, ".gitconfig"),
    join(home, ".config/git/config"),
    "/etc/gitconfig",
    ...sources,
  ];
  return places
    .map((place) => {
      const stat = statSync(place, { bigint: true, throwIfNoEntry: false });
      return stat
        ? `${stat.ino}:${stat.isDirectory() && !place.endsWith("hooks") ? "" : `${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`}`
        : "";
    })
    .join(" ");
}

const atHome = (path: string): string => (path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path);

/** A word that is a path, not an option. A bare name is looked up on the PATH. */
const NAMES_PATH = /^[^-].*\/(?!$)/;
/** The same, or a script's name after its interpreter (`python3 filter.py`). */
const NAMES_FILE = /^[^-].*\/(?!$)|^[^-].*\.(?:sh|bash|zsh|fish|py|[cm]?[jt]s|rb|pl|php|lua|awk|sed|jar|ps1|cmd|bat|exe)$/i;

/** A file; or a missing path, if the word looks like one: an agent could be the first to write it. */
function isProgramFile(place: string, names: RegExp, word: string): boolean {
  try {
    const stat = statSync(place, { throwIfNoEntry: false });
    return stat ? stat.isFile() : names.test(word) && !word.includes("://");
  } catch {
    return false; // Not a path.
  }
}

function realPath(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    return place; // Not there yet.
  }
}
