import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refused } from "@colloquy/schema";

/** Says to other programs of the same person that a server works on the project, where, and how to come in. */
export interface ServerFile {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
  readonly startedAt: string;
  /** The name of this project at that server. */
  readonly projectId: string;
}

const pathOf = (dir: string): string => join(dir, ".dialogs", "server.json");
const tokenPath = (dir: string): string => join(dir, ".dialogs", "server-token");

export function writeServerFile(dir: string, file: ServerFile): void {
  writeSecret(pathOf(dir), `${JSON.stringify(file)}\n`);
}

/** Undefined where there is none, or none that can be read. */
export function readServerFile(dir: string): ServerFile | undefined {
  try {
    return JSON.parse(readRegular(pathOf(dir))) as ServerFile;
  } catch {
    return undefined; // as good as none
  }
}

export function removeServerFile(dir: string): void {
  if (readServerFile(dir)?.pid === process.pid) rmSync(pathOf(dir), { force: true });
}

/** For a program that is about to use the token in it. */
export const demandPrivateServerFile = (dir: string): void => demandPrivate(pathOf(dir));

export const demandPrivateSessions = (dir: string): void => demandPrivate(sessionsPath(dir));

export const sessionsPath = (dir: string): string => join(dir, ".dialogs", "sessions.json");

/** Replaces the token: programs that have the old one are out. A project that was never opened has none to replace. */
export function rotateServerToken(dir: string): string {
  const token = newToken();
  if (existsSync(join(dir, ".dialogs"))) writeSecret(tokenPath(dir), `${token}\n`);
  return token;
}

/** Made once and kept: programs and browsers stay signed in when the server is started again. */
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

export const newToken = (): string => randomBytes(32).toString("base64url");

/** For nobody else on this machine, from its first byte on. */
export function writeSecret(path: string, text: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  renameSync(draft, path);
}

/**
 * Refuses a file that other users can read or change. A file system without permissions shows every file so: `chmod` would change nothing
 * there, and the store has said that the folder is not private.
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

/** Found out by a file, since mounts of other systems accept every `chmod` and ignore it. */
function keepsPermissions(folder: string): boolean {
  const probe = join(folder, `permissions.${process.pid}.tmp`);
  try {
    writeFileSync(probe, "", { mode: 0o600 });
    return (statSync(probe).mode & 0o077) === 0;
  } catch {
    return true; // a folder that cannot be written to is no reason to trust the file
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Opening a named pipe would wait for somebody to write into it. */
function readRegular(path: string): string {
  if (!statSync(path).isFile()) throw new Error(`${path} is not a file`);
  return readFileSync(path, "utf8");
}
