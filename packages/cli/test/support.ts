import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { serve, type Serving } from "@colloquy/server";
import { onTestFinished, test } from "vitest";
import pico from "picocolors";
import { Interrupts } from "../src/dialogs/interrupts.ts";
import { run } from "../src/line/run.ts";
import type { LineInput } from "../src/terminal/line-input.ts";
import type { Screen } from "../src/terminal/screen.ts";

/** The whole suite runs twice: each command opens the project itself, or a server holds it. */
export const isServed = process.env.COLLOQUY_TEST_OVER === "server";
/** For what only the process that holds a project can do or suffer. */
export const ownTest = (name: string, work: () => Promise<void>): void => test.skipIf(isServed)(name, work);

export const bin = fileURLToPath(new URL("../bin/colloquy.js", import.meta.url));

/** A separate folder, removed after the test. */
export function folder(files: Readonly<Record<string, string>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-cli-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  write(dir, files);
  return dir;
}

export function write(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

const SETTINGS = `defaults: { model: scripted/play }
agents:
  lead: { name: Lead, role: "You lead.", tools: [files], default: true }
`;

const ECHO = `rules:
  - do: { say: "I heard: {{text}}" }
`;

/** A project whose agent plays the script; without one it repeats what it hears. */
export const project = (script = ECHO, files: Readonly<Record<string, string>> = {}): string =>
  folder({ "colloquy.yaml": SETTINGS, "scripts/play.yaml": script, ...files });

/** Without the caller's keys and colours. Every folder is trusted; trust.test.ts turns that off. */
export const env = (more: Readonly<Record<string, string>>): Record<string, string> => ({
  PATH: process.env.PATH ?? "",
  HOME: tmpdir(),
  COLLOQUY_TRUST: "1",
  ...more,
});

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves once standard output or error contains this text. */
  says(text: string): Promise<void>;
  /** Its standard error so far. */
  complaints(): string;
}

interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Standard input stays open. */
  readonly keepsInput?: boolean;
  readonly uid?: number;
}

/** The built command line as a separate process. */
export function start(cwd: string, args: readonly string[], options: ChildOptions = {}): Running {
  const { input, uid, keepsInput } = options;
  const child = spawn(process.execPath, [bin, ...args], { cwd, env: env(options.env ?? {}), ...(uid !== undefined && { uid, gid: uid }) });
  let stdout = "";
  let stderr = "";
  const waiting = new Set<() => void>();
  const heard = () => {
    for (const look of waiting) look();
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => ((stdout += text), heard()));
  child.stderr.setEncoding("utf8").on("data", (text: string) => ((stderr += text), heard()));
  child.stdin.on("error", () => undefined);
  if (!keepsInput) child.stdin.end(input ?? "");
  const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
  return {
    pid: child.pid ?? 0,
    ended,
    kill: (signal) => void child.kill(signal),
    complaints: () => stderr,
    says: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (!stdout.includes(text) && !stderr.includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

export const colloquy = (cwd: string, ...args: readonly string[]): Promise<Ended> => ended(cwd, args);

/**
 * A command in a pipe. It runs within this process, which is faster. `start` is for what only a process of its own shows:
 * signals, other users, what is loaded, what is left behind.
 */
export async function ended(cwd: string, args: readonly string[], options: ChildOptions = {}): Promise<Ended> {
  if (options.uid !== undefined) return start(cwd, args, options).ended;
  await served(cwd);
  const out = paper(false);
  const err = paper(false);
  const code = await run(args, {
    cwd,
    env: env(options.env ?? {}),
    out,
    err,
    canAsk: false,
    interrupts: new Interrupts(() => undefined),
    now: () => Date.now(),
    read: () => Promise.resolve(options.input ?? ""),
    input: () => typed((options.input ?? "").split("\n").slice(0, -1)),
  });
  return { code, stdout: out.text, stderr: err.text };
}

const servers = new Map<string, Promise<Serving>>();

/** A server for the project in this folder, while the test runs. */
export async function served(folderOrBelow: string): Promise<Serving | undefined> {
  if (!isServed || !existsSync(join(folderOrBelow, "colloquy.yaml"))) return undefined;
  const dir = realpathSync(folderOrBelow);
  const known = servers.get(dir);
  if (known) return known;
  const serving = serve({ dirs: [dir], port: 0, version: "test", env: env({}), report: () => undefined });
  servers.set(dir, serving);
  onTestFinished(async () => {
    servers.delete(dir);
    await (await serving).close();
  });
  return serving;
}

/** A screen that records its output. */
export function paper(isTerminal: boolean, columns = 100, isColoured = false): Screen & { readonly text: string } {
  let text = "";
  return {
    isTerminal,
    columns,
    colours: pico.createColors(isColoured),
    write: (more) => void (text += more),
    get text() {
      return text;
    },
  };
}

/** Lines from a pipe. */
function typed(lines: readonly string[]): LineInput {
  async function* all(): AsyncGenerator<string, void, undefined> {
    yield* lines;
  }
  return { isTerminal: false, lines: all(), prompt: () => undefined, close: () => undefined };
}

/** The command line within this process, at a terminal. */
export async function inTerminal(
  cwd: string,
  args: readonly string[],
  { columns = 100, isColoured = false, env: more = {} as Readonly<Record<string, string>>, lines = [] as readonly string[] } = {},
) {
  await served(cwd);
  const out = paper(true, columns, isColoured);
  const err = paper(true, columns, isColoured);
  const code = await run(args, {
    cwd,
    env: env(more),
    out,
    err,
    canAsk: false,
    interrupts: new Interrupts(() => undefined),
    now: () => Date.now(),
    read: () => Promise.resolve(""),
    input: () => typed(lines),
  });
  return { code, out: out.text, err: err.text };
}

/** Polls until something exists: for files that another process writes. */
export async function until(isThere: () => boolean, ms = 120_000): Promise<void> {
  for (const end = Date.now() + ms; !isThere(); await new Promise((resolve) => setTimeout(resolve, 20))) {
    if (Date.now() > end) throw new Error("it did not come");
  }
}
