import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import type { CommandNetwork } from "./sandbox.ts";

/** Programs and their files. Not /var, /run, /opt, /srv, /home, /root, /mnt: they contain data and sockets, some of which give root access. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store", "/etc"];

export interface SystemMounts {
  readonly orders: readonly string[];
  /** The PATH in the sandbox: only folders whose programs can run there. */
  readonly path: string;
}

/** Mounts the machine's programs, read-only. */
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

/** Arguments that close a path: its name stays visible, but it can be neither read nor entered. */
export const closed = (place: string, isFolder: boolean): readonly string[] =>
  isFolder ? ["--perms", "0000", "--tmpfs", place, "--remount-ro", place] : ["--ro-bind", "/dev/null", place];

function readOnly(place: string): readonly string[] {
  const stat = lstatSync(place, { throwIfNoEntry: false });
  if (!stat) return [];
  return stat.isSymbolicLink() ? ["--symlink", readlinkSync(place), place] : ["--ro-bind", place, place];
}

let secrets: readonly { readonly place: string; readonly isFolder: boolean }[] | undefined;

/** Paths in /etc that we, as root, can read and other users can't: passwords and keys of the machine. */
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
    return []; // A command could not list it either.
  }
}

/**
 * /etc/resolv.conf is often a link into /run. A resolver on this machine's 127.0.0.1 can't be reached from a separate network. For
 * systemd's resolver, the file beside it lists the real name servers.
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

/** Folders that programs need beside their `bin`. Others may contain data and settings: `var`, `etc`, people's own folders. */
const BESIDE_BIN = /^(?:bin|lib(?:32|64|x32|exec)?|share|include)$/;

interface ProgramFolder {
  readonly entry: string;
  /** The folders to mount for it. */
  readonly needs: readonly string[];
}

/**
 * An entry of the PATH, if its programs would run in the sandbox: the system's, the project's, and those in a `bin` with libraries
 * beside it, such as ~/.nvm/versions/node/v24/bin. Not ~/.cargo/bin: the folder around it is a person's own, and without that folder its
 * programs don't run and would hide the system's.
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
    return undefined; // Missing, or closed to us: its programs would not run.
  }
}

/** Neither a home folder, nor a dot-folder directly in it, nor a folder that contains the project or a home. */
function isShareable(place: string, root: string): boolean {
  const home = homedir();
  const isOwn = isBelow(home, place) || (dirname(place) === home && basename(place).startsWith("."));
  return !isOwn && !isBelow(root, place) && dirname(place) !== "/";
}

const isBelow = (place: string, folder: string): boolean => place === folder || place.startsWith(`${folder}/`);
