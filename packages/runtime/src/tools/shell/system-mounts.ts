import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import type { CommandNetwork } from "./sandbox.ts";

/** Programs and what they need. Not /var, /run, /opt, /srv, /home, /root, /mnt: data and sockets, some of which give root access. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store", "/etc"];

export interface SystemMounts {
  readonly orders: readonly string[];
  /** Where the programs are that can be run. */
  readonly path: string;
}

/** The machine's programs, to be read and run. */
export function systemMounts(path: string, root: string, network: CommandNetwork): SystemMounts {
  const programs = [...path.split(delimiter), dirname(process.execPath)].flatMap((entry) => programsAt(entry, root));
  const orders = [
    ...SYSTEM.flatMap(readOnly),
    ...unreadableForOthers().flatMap(({ place, isFolder }) => closed(place, isFolder)),
    ...(network === "none" ? [] : resolver(network)),
    ...[...new Set(programs.flatMap(({ needs }) => needs))].flatMap(readOnly),
  ];
  return { orders, path: [...new Set(programs.map(({ entry }) => entry))].join(delimiter) };
}

/** Orders that leave nothing of a place but its name: it can be neither read nor entered. */
export const closed = (place: string, isFolder: boolean): readonly string[] =>
  isFolder ? ["--perms", "0000", "--tmpfs", place, "--remount-ro", place] : ["--ro-bind", "/dev/null", place];

function readOnly(place: string): readonly string[] {
  const stat = lstatSync(place, { throwIfNoEntry: false });
  if (!stat) return [];
  return stat.isSymbolicLink() ? ["--symlink", readlinkSync(place), place] : ["--ro-bind", place, place];
}

let secrets: readonly { readonly place: string; readonly isFolder: boolean }[] | undefined;

/** What we can read in /etc and other users could not: passwords and keys of the machine, when we are root. */
function unreadableForOthers(): NonNullable<typeof secrets> {
  return (secrets ??= process.getuid?.() === 0 ? secretsIn("/etc") : []);
}

function secretsIn(folder: string): NonNullable<typeof secrets> {
  return entriesOf(folder).flatMap((entry) => {
    const place = join(folder, entry.name);
    const isFolder = entry.isDirectory();
    if (!isFolder && !entry.isFile()) return [];
    const mode = statSync(place, { throwIfNoEntry: false })?.mode ?? 0o777;
    const needed = isFolder ? 0o005 : 0o004;
    if ((mode & needed) !== needed) return [{ place, isFolder }];
    return isFolder ? secretsIn(place) : [];
  });
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // What we cannot list, a command cannot either.
  }
}

/**
 * Where names are looked up is often a link to somewhere in /run. A resolver on this machine's 127.0.0.1 cannot be reached from a
 * network of its own; systemd's keeps the names of the servers behind it beside its own.
 */
function resolver(network: CommandNetwork): readonly string[] {
  const file = "/etc/resolv.conf";
  if (!existsSync(file)) return [];
  const place = realpathSync.native(file);
  const behind = "/run/systemd/resolve/resolv.conf";
  if (network === "own" && isOnLoopback(file) && existsSync(behind)) return ["--ro-bind", behind, place];
  return place.startsWith("/etc/") ? [] : ["--ro-bind", place, place];
}

function isOnLoopback(file: string): boolean {
  const servers = Array.from(readFileSync(file, "utf8").matchAll(/^\s*nameserver\s+(\S+)/gm), ([, server]) => server ?? "");
  return servers.every((server) => server === "::1" || server.startsWith("127."));
}

/** Folders that programs need beside their `bin`. Others may hold data and settings: `var`, `etc`, a person's own. */
const BESIDE_BIN = /^(?:bin|lib(?:32|64|x32|exec)?|share|include)$/;

interface ProgramFolder {
  readonly entry: string;
  /** The folders to mount for it. */
  readonly needs: readonly string[];
}

/**
 * An entry of the PATH, if its programs would run: the system's, the project's, and those in a folder `bin` with their libraries
 * beside it, such as ~/.nvm/versions/node/v24/bin. Not the likes of ~/.cargo/bin: around it are people's own things, and alone it
 * is useless, and would hide the system's programs.
 */
function programsAt(entry: string, root: string): readonly ProgramFolder[] {
  const place = entry.startsWith("/") ? folderAt(entry) : undefined;
  if (place === undefined) return [];
  if ([...SYSTEM, root].some((folder) => isBelow(place, folder))) return [{ entry, needs: [] }];
  const isOurNode = place === realpathSync.native(dirname(process.execPath));
  const around = dirname(place);
  if (basename(place) === "bin" && existsSync(join(around, "lib")) && isShareable(around, root)) {
    const beside = entriesOf(around).filter(({ name }) => BESIDE_BIN.test(name));
    return [{ entry: place, needs: beside.map(({ name }) => join(around, name)) }];
  }
  return isOurNode && isShareable(place, root) ? [{ entry: place, needs: [place] }] : [];
}

/** The real path of a folder, if we can enter it. */
function folderAt(place: string): string | undefined {
  try {
    return statSync(place).isDirectory() ? realpathSync.native(place) : undefined;
  } catch {
    return undefined; // Not there, or another user's: its programs would not run.
  }
}

/** Neither a home folder, nor a dot-folder directly in it, nor anything that holds the project or a home. */
function isShareable(place: string, root: string): boolean {
  const home = homedir();
  const isOwn = isBelow(home, place) || (dirname(place) === home && basename(place).startsWith("."));
  return !isOwn && !isBelow(root, place) && dirname(place) !== "/";
}

const isBelow = (place: string, folder: string): boolean => place === folder || place.startsWith(`${folder}/`);
