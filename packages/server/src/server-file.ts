import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync, renameSync } from "node:fs";
import { join } from "node:path";

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
    return JSON.parse(readFileSync(pathOf(dir), "utf8")) as ServerFile;
  } catch {
    return undefined; // as good as none
  }
}

export function removeServerFile(dir: string): void {
  if (readServerFile(dir)?.pid === process.pid) rmSync(pathOf(dir), { force: true });
}

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
    const kept = readFileSync(tokenPath(dir), "utf8").trim();
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
