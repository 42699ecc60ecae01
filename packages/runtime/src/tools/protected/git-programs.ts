// Files of the project that a person's git would run: hooks, filters, pagers and the like that git's settings name. An agent that could
// write them would run as the person at the next `git status`.
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";

const GIT = ["/usr/bin/git", "/usr/local/bin/git", "/opt/homebrew/bin/git"];
const TIME_MS = 3_000;

/** Settings that name a file or folder which git takes programs or more settings from. */
const PATHS = /^(?:core\.hookspath|include\.path|includeif\..*\.path|init\.templatedir)$/;
/** Settings that name a command, with words of its own. */
const COMMANDS =
  /^(?:core\.(?:fsmonitor|pager|editor|sshcommand|askpass|gitproxy)|pager\..*|sequence\.editor|interactive\.difffilter|diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|(?:merge|diff)tool\..*\.(?:cmd|path)|filter\..*\.(?:clean|smudge|process)|credential\.(?:.*\.)?helper|gpg\.(?:.*\.)?program|alias\..*|trailer\..*\.(?:cmd|command)|(?:man|browser)\..*\.(?:cmd|path)|hook\..*\.command|uploadpack\.packobjectshook|remote\..*\.(?:uploadpack|receivepack)|submodule\..*\.update|sendemail\..*cmd)$/;
/** Where a folder of hooks is the project's own folder, only these are hooks. */
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

/** Paths in the project, with slashes, that tools may read but not write with all that is below them. Git is asked when a setting changed. */
export function gitPrograms(root: string): readonly string[] {
  const before = known.get(root);
  if (before && stateOf(root, before.sources) === before.state) return before.programs;
  const settings = settingsOf(root);
  const sources = [...new Set(settings.map(({ source }) => source))];
  const places = [...settings.flatMap((setting) => placesIn(setting, root)), ...linkedHooks(root)];
  const programs = [...new Set(places.flatMap((place) => insideOf(root, place)))];
  known.set(root, { state: stateOf(root, sources), sources, programs });
  return programs;
}

interface Setting {
  readonly key: string;
  readonly value: string;
  /** The file that says so. */
  readonly source: string;
}

function settingsOf(root: string): readonly Setting[] {
  const git = GIT.find((place) => existsSync(place));
  if (git === undefined) return [];
  const { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL } = process.env;
  const env = { PATH: "/usr/bin:/bin", HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL };
  // Listing settings starts no program that they name.
  const { stdout, status } = spawnSync(git, ["config", "--list", "--includes", "--show-origin", "-z"], {
    cwd: root,
    env,
    encoding: "utf8",
    timeout: TIME_MS,
  });
  if (status !== 0) return [];
  const fields = stdout.split("\0");
  const settings: Setting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [origin = "", entry = ""] = [fields[at], fields[at + 1]];
    const end = entry.indexOf("\n");
    if (!origin.startsWith("file:") || end < 0) continue;
    settings.push({ key: entry.slice(0, end).toLowerCase(), value: entry.slice(end + 1), source: resolve(root, origin.slice(5)) });
  }
  return settings;
}

function placesIn({ key, value, source }: Setting, root: string): readonly string[] {
  if (PATHS.test(key)) {
    const place = resolve(key.startsWith("include") ? dirname(source) : root, atHome(value));
    if (key !== "core.hookspath") return [place];
    if (place === root) return HOOKS.map((name) => join(root, name));
    // Husky's own scripts there start those in the folder above.
    return basename(place) === "_" ? [place, dirname(place)] : [place];
  }
  if (!COMMANDS.test(key)) return [];
  const command = value.replaceAll(/\$\(git rev-parse --show-toplevel\)|\$\{?PWD\}?/g, root);
  return command
    .split(/[\s'"`;|&()<>=!]+/)
    .filter((word) => word !== "")
    .map((word) => resolve(root, atHome(word)))
    .filter((place) => isFile(place));
}

/** A hook in the git folder may be a link to a script of the project. */
function linkedHooks(root: string): readonly string[] {
  const folder = join(root, ".git/hooks");
  try {
    return readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((place) => lstatSync(place).isSymbolicLink())
      .map((place) => resolve(folder, readlinkSync(place)));
  } catch {
    return []; // No hooks.
  }
}

/** By the name that is given, and where that leads. */
function insideOf(root: string, place: string): readonly string[] {
  return [place, realPath(place)].flatMap((one) => {
    const inside = relative(root, one).split(sep).join("/");
    return inside === "" || inside === ".." || inside.startsWith("../") ? [] : [inside];
  });
}

function stateOf(root: string, sources: readonly string[]): string {
  const home = homedir();
  const places = [
    ...[".git", ".git/config", ".git/config.worktree", ".git/hooks"].map((name) => join(root, name)),
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

function isFile(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false; // No path: a word of another kind.
  }
}

function realPath(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    return place; // Not there yet.
  }
}
