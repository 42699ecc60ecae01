// Fingerprints of a server's programs when it last ran. The record is in .dialogs/, which tools can neither read nor write.
import { createHash } from "node:crypto";
import { closeSync, createReadStream, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { McpServerConfig } from "@colloquy/schema";
import { insideOf, isIn, realPlace, realRoot } from "./project-path.ts";
import type { Environment } from "./filled-in.ts";
import { isComparable, serverCode } from "./server-code.ts";

interface ProgramRecord {
  /** A hash of the settings, to tell a person's change of them from a change of the files. */
  readonly settings: string;
  /** By path in the project, or absolute outside it: the real path and the content's hash. */
  readonly files: Readonly<Record<string, string>>;
}
/** Nothing is known then, so everything counts as changed until a person has reviewed it. */
type Damaged = "damaged";

/** Owned by the package manager and root: agents don't write there, and every update would ask. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix", "/gnu", "/snap", "/run/current-system"];
const isSystem = (file: string): boolean =>
  SYSTEM.some((folder) => file.startsWith(`${folder}/`)) ||
  dirname(file) === dirname(process.execPath) ||
  file === realPlace(process.execPath);

/** A server's program has changed since the server last ran; a person must review it. */
export class ProgramChanged extends Error {
  readonly files: readonly string[];

  constructor(name: string, files: readonly string[], dir: string) {
    super(
      `${files.join(", ")} changed since the server last ran, so it is not started. Look at ${files.length > 1 ? "them" : "it"}, ` +
        `then allow ${name}: colloquy trust ${dir}`,
    );
    this.files = files;
  }
}

export interface RecordedServer {
  readonly name: string;
  readonly config: McpServerConfig;
  /** The project's folder. */
  readonly dir: string;
  readonly env: Environment;
  /** The started file. */
  readonly file: string;
}

/** Throws `ProgramChanged`, or records what is about to run; the record is durable before the program starts. */
export async function demandUnchanged(server: RecordedServer): Promise<void> {
  const before = readRecord(server);
  const now = await recordOf(server);
  const changed = before === undefined ? [] : changedFiles(before, now);
  if (changed.length > 0) throw new ProgramChanged(server.name, changed, server.dir);
  if (Object.keys(now.files).length > 0 || before) writeRecord(server, before, now);
}

/** A person has reviewed it: the current files may run. */
export async function allowPrograms(server: RecordedServer): Promise<void> {
  const before = readRecord(server);
  const now = await recordOf(server);
  if (Object.keys(now.files).length > 0 || before) writeRecord(server, before, now);
}

/** A file that is new under unchanged settings was put there by somebody other than their author. */
function changedFiles(before: ProgramRecord | Damaged, now: ProgramRecord): readonly string[] {
  if (before === "damaged") return Object.keys(now.files);
  const isKnown = (path: string) => Object.hasOwn(before.files, path);
  return Object.entries(now.files).flatMap(([path, content]) =>
    (isKnown(path) ? before.files[path] !== content : before.settings === now.settings) ? [path] : [],
  );
}

async function recordOf({ config, dir, env, file }: RecordedServer): Promise<ProgramRecord> {
  const root = realRoot(dir);
  const own = serverCode(config, dir, env).filter(isComparable);
  const places = [...new Set([...(isIn(root, file) || !isSystem(realPlace(file)) ? [file] : []), ...own])];
  const files = await Promise.all(
    places.map(async (place) => {
      const real = realPlace(place);
      const content = await hashOf(real);
      const shown = insideOf(root, real) ?? real;
      return [insideOf(root, place) ?? place, content === undefined ? "absent" : `${shown} sha256:${content}`] as const;
    }),
  );
  const { command, args, env: variables, cwd } = config;
  return { settings: textHash(JSON.stringify({ command, args, variables, cwd })), files: Object.fromEntries(files) };
}

const textHash = (text: string): string => createHash("sha256").update(text).digest("hex");

async function hashOf(file: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(file), hash);
    return hash.digest("hex");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

const pathOf = ({ dir, name }: RecordedServer): string => join(realRoot(dir), ".dialogs", "mcp", `${name}.json`);

function readRecord(server: RecordedServer): ProgramRecord | Damaged | undefined {
  let text: string;
  try {
    text = readFileSync(pathOf(server), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const record = JSON.parse(text) as Partial<ProgramRecord> | null;
    return typeof record?.settings === "string" && typeof record.files === "object" ? (record as ProgramRecord) : "damaged";
  } catch {
    return "damaged"; // A person is asked, and allowing it rewrites the record.
  }
}

function writeRecord(server: RecordedServer, before: ProgramRecord | Damaged | undefined, now: ProgramRecord): void {
  const text = `${JSON.stringify(now, undefined, 2)}\n`;
  if (before && JSON.stringify(before) === JSON.stringify(now)) return;
  const path = pathOf(server);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.tmp`;
  const fd = openSync(draft, "w", 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, path);
}
