// The folders that a person trusts, in the person's own configuration: one file each, so that concurrent commands lose nothing.
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { configFolder } from "./known-projects.ts";
import { refused } from "../line/failure.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface TrustedFolder {
  /** Its real path. */
  readonly folder: string;
  /** A digest of what it would run and send when the person trusted it. */
  readonly hash: string;
  /** A digest of the server's token; "": none. Absent in records of earlier versions. */
  readonly token?: string;
  readonly at: string;
}

/** `COLLOQUY_TRUST=1` trusts every folder, for scripts. */
export const trustsAll = (env: Env): boolean => env.COLLOQUY_TRUST === "1";

const folderOf = (env: Env): string => join(configFolder(env), "trusted");
const pathOf = (dir: string, env: Env): string =>
  join(folderOf(env), `${createHash("sha256").update(realpathSync(dir)).digest("hex").slice(0, 40)}.json`);

/** A folder's record; undefined if nobody here has used it. */
export function trustedFolder(dir: string, env: Env): TrustedFolder | undefined {
  const path = pathOf(dir, env);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat || isOpenToAgents(dir, path)) return undefined;
  if (process.platform !== "win32" && (stat.mode & 0o022) !== 0)
    throw refused("bad_config", `Other users of this machine can change ${path}, which says what you trust. Run: chmod 600 ${path}`);
  const record = parsed(path);
  return record?.folder === realpathSync(dir) ? record : undefined;
}

/** Changes whenever the record does. */
export function trustStamp(dir: string, env: Env): string {
  const stat = statSync(pathOf(dir, env), { throwIfNoEntry: false });
  return `${stat?.mtimeMs ?? 0} ${stat?.ino ?? 0}`;
}

export function trustFolder(dir: string, env: Env, { hash, token }: Pick<TrustedFolder, "hash" | "token">, nowMs: number): void {
  const path = pathOf(dir, env);
  if (isOpenToAgents(dir, path))
    throw refused(
      "bad_config",
      `Your configuration (${folderOf(env)}) is inside of this folder, where agents write. Set XDG_CONFIG_HOME to another place.`,
    );
  const record: TrustedFolder = {
    folder: realpathSync(dir),
    hash,
    ...(token !== undefined && { token }),
    at: new Date(nowMs).toISOString(),
  };
  mkdirSync(folderOf(env), { recursive: true, mode: 0o700 });
  chmodSync(folderOf(env), 0o700);
  const draft = `${path}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(draft, path);
}

/** False if it was not trusted. */
export function revokeFolder(folder: string, env: Env): boolean {
  const found = trustedFolders(env).find((one) => one.folder === folder);
  if (!found) return false;
  rmSync(join(folderOf(env), `${createHash("sha256").update(found.folder).digest("hex").slice(0, 40)}.json`), { force: true });
  return true;
}

export function trustedFolders(env: Env): readonly TrustedFolder[] {
  let names: readonly string[];
  try {
    names = readdirSync(folderOf(env));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  const records = names.filter((name) => name.endsWith(".json")).map((name) => parsed(join(folderOf(env), name)));
  return records.filter((record) => record !== undefined).toSorted((one, other) => (one.folder < other.folder ? -1 : 1));
}

function parsed(path: string): TrustedFolder | undefined {
  try {
    const record = JSON.parse(readFileSync(path, "utf8")) as Partial<TrustedFolder>;
    return typeof record.folder === "string" && typeof record.hash === "string" ? (record as TrustedFolder) : undefined;
  } catch {
    return undefined; // Unreadable counts as none: the person is asked again.
  }
}

/** Inside the project tools could write it, unless that path is protected. */
function isOpenToAgents(dir: string, path: string): boolean {
  const inside = relative(realpathSync(dir), realFolder(path));
  const isInside = inside !== "" && !inside.startsWith("..") && !isAbsolute(inside);
  return isInside && !`${sep}${inside}`.includes(`${sep}.config${sep}colloquy${sep}`);
}

function realFolder(path: string): string {
  try {
    return join(realpathSync(join(path, "..")), "record");
  } catch {
    return path; // Doesn't exist yet.
  }
}
