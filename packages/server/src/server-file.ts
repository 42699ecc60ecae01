import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refused } from "@colloquy/schema";

/** Tells the owner's other programs which server has the project open, and how to connect to it. */
export interface ServerFile {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
  readonly startedAt: string;
  /** This project's id at that server. */
  readonly projectId: string;
}

const MAX_BYTES = 1_000_000;

const pathOf = (dir: string): string => join(dir, ".dialogs", "server.json");
const tokenPath = (dir: string): string => join(dir, ".dialogs", "server-token");

export function writeServerFile(dir: string, file: ServerFile): void {
  writeSecret(pathOf(dir), `${JSON.stringify(file)}\n`);
}

/** Undefined if missing or unreadable. */
export function readServerFile(dir: string): ServerFile | undefined {
  try {
    return JSON.parse(readRegular(pathOf(dir))) as ServerFile;
  } catch {
    return undefined; // unreadable counts as missing
  }
}

export function removeServerFile(dir: string): void {
  if (readServerFile(dir)?.pid === process.pid) rmSync(pathOf(dir), { force: true });
}

/** Call before using the file's token. */
export const demandPrivateServerFile = (dir: string): void => demandPrivate(pathOf(dir));

export const demandPrivateSessions = (dir: string): void => demandPrivate(sessionsPath(dir));

export const sessionsPath = (dir: string): string => join(dir, ".dialogs", "sessions.json");

/** Replaces the token, which invalidates the old one. A project that was never opened has no token to replace. */
export function rotateServerToken(dir: string): string {
  const token = newToken();
  if (existsSync(join(dir, ".dialogs"))) writeSecret(tokenPath(dir), `${token}\n`);
  return token;
}

/** Made once and stored, so that programs and browsers stay signed in after a restart. */
export function serverToken(dir: string): string {
  try {
    demandPrivate(tokenPath(dir));
    const kept = readRegular(tokenPath(dir)).trim();
    if (/^[\w-]{32,}$/.test(kept)) return kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const token = newToken();
  writeSecret(tokenPath(dir), `${token}\n`);
  return token;
}

/** The stored hash of the token; "" if there is none. */
export function tokenDigest(dir: string): string {
  try {
    return createHash("sha256")
      .update(readRegular(tokenPath(dir)).trim())
      .digest("hex");
  } catch {
    return ""; // no usable token
  }
}

/** True for the folder's own token. */
export const hasToken = (dir: string, token: string): boolean => tokenDigest(dir) === createHash("sha256").update(token).digest("hex");

/** Never begins with a dash: after `--token` that would be another option. */
export function newToken(): string {
  const token = randomBytes(32).toString("base64url");
  return token.startsWith("-") ? newToken() : token;
}

/** Private to the owner from its first byte on. */
export function writeSecret(path: string, text: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  renameSync(draft, path);
}

/**
 * Refuses a file that other users can read or change. On a file system without permissions every file looks like that and `chmod` has no
 * effect; the store has already warned that the folder is not private.
 */
function demandPrivate(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isFile()) throw refusal(`${path} is not a file. Remove it; the next start makes a new one.`);
  if (process.platform === "win32" || (stat.mode & 0o077) === 0 || !keepsPermissions(dirname(path))) return;
  throw refusal(
    `Other users of this machine can read or change ${path}, and its content lets them act as you. ` +
      `Run: chmod 600 ${shellWord(path)}. If they may have read it, also run: colloquy users token rotate`,
  );
}

const refusal = (message: string): Refused => new Refused({ code: "bad_config", message });

const shellWord = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

/** Tested with a file, because foreign mounts accept every `chmod` and ignore it. */
function keepsPermissions(folder: string): boolean {
  const probe = join(folder, `permissions.${process.pid}.tmp`);
  try {
    writeFileSync(probe, "", { mode: 0o600 });
    return (statSync(probe).mode & 0o077) === 0;
  } catch {
    return true; // in a read-only folder, assume that permissions work and check the file
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Opening a named pipe would block until somebody writes to it. */
function readRegular(path: string): string {
  const stat = statSync(path);
  if (!stat.isFile() || stat.size > MAX_BYTES) throw new Error(`${path} is not a file that Colloquy wrote`);
  return readFileSync(path, "utf8");
}
