import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { devNull } from "node:os";
import type { Readable, Writable } from "node:stream";
import { CapturedOutput } from "./captured-output.ts";
import type { SpawnPlan } from "./sandbox.ts";
import { endStrays, MARK } from "./strays.ts";

/** Nobody reads more than this, and reading it takes our time. */
const MOST_OUTPUT_BYTES = 64_000_000;
/** How long something that got away from its group may keep the output open. */
const GRACE_MS = 1_000;

export interface Ran {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly output: string;
  /** Why we ended it, if we did. */
  readonly endedFor: "time" | "output" | undefined;
  /** Why the sandbox did not start the command, if it did not. */
  readonly notStarted: string | undefined;
}

/** Runs a process and all that it starts to the end, and ends them with it. Throws the signal's reason when that is aborted. */
export async function runProcess(plan: Omit<SpawnPlan, "finish">, timeoutMs: number, signal: AbortSignal): Promise<Ran> {
  signal.throwIfAborted();
  const feeds = Object.entries(plan.feeds).map(([fd, feed]) => ({ fd: Number(fd), feed }));
  const piped = [1, 2, ...(plan.statusOn === undefined ? [] : [plan.statusOn]), ...feeds.map(({ fd }) => fd)];
  const nothing = openSync(devNull, "r+");
  const child = spawn(plan.file, plan.args, {
    cwd: plan.cwd,
    env: plan.env,
    stdio: descriptors(piped, nothing),
    // A group of its own, so that all of it can be ended.
    detached: true,
  });
  closeSync(nothing);
  const output = new CapturedOutput();
  const complaint = new CapturedOutput(2_000);
  let endedFor: Ran["endedFor"];
  const [stdout, stderr] = [child.stdio[1] as Readable, child.stdio[2] as Readable];
  stdout.on("data", (chunk: Buffer) => {
    output.add(chunk);
    if (output.bytes > MOST_OUTPUT_BYTES && endedFor === undefined) {
      endedFor = "output";
      kill(child);
    }
  });
  stderr.on("data", (chunk: Buffer) => complaint.add(chunk));
  for (const { fd, feed } of feeds) give(child.stdio[fd] as Writable, feed);
  const status = new CapturedOutput(2_000);
  if (plan.statusOn !== undefined) (child.stdio[plan.statusOn] as Readable).on("data", (chunk: Buffer) => status.add(chunk));

  const timer = setTimeout(() => {
    endedFor ??= "time";
    kill(child);
  }, timeoutMs);
  const stop = () => kill(child);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const { code, signal: by } = await ended(child, [stdout, stderr]);
    signal.throwIfAborted();
    // bubblewrap tells of an exit code only if it got as far as the command.
    const wasStarted = plan.statusOn === undefined || by !== null || endedFor !== undefined || status.text().includes('"exit-code"');
    const said = complaint.text().trim();
    return {
      code: code ?? undefined,
      signal: by ?? undefined,
      output: output.text(),
      endedFor,
      notStarted: wasStarted ? undefined : said === "" ? `It ended with ${code}.` : said,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    const mark = plan.env[MARK];
    if (mark !== undefined) endStrays(mark);
  }
}

/**
 * What a child gets by descriptor. Node closes its own files in a child, not those that it was started with itself: an open folder
 * among them would be a way out of every sandbox. So nothing stands in for them.
 */
function descriptors(piped: readonly number[], nothing: number): StdioOptions {
  const covered = [0, ...inherited()];
  return Array.from({ length: Math.max(...piped, ...covered) + 1 }, (_, fd) =>
    piped.includes(fd) ? "pipe" : covered.includes(fd) ? nothing : "ignore",
  );
}

const CLOSE_ON_EXEC = 0o2000000;

function inherited(): readonly number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fdinfo")
    .map(Number)
    .filter((fd) => fd > 2 && !isClosedOnExec(fd));
}

function isClosedOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch {
    return true; // Closed by now: it was the one by which the folder was read.
  }
}

function give(pipe: Writable, feed: string | Uint8Array): void {
  // A process that died before reading it says so itself.
  pipe.on("error", () => {});
  pipe.end(feed);
}

function ended(child: ChildProcess, outputs: readonly Readable[]): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    child.on("error", reject);
    child.on("exit", () => {
      // What it left running in the background ends with it.
      kill(child);
      timer = setTimeout(() => {
        for (const output of outputs) output.destroy();
      }, GRACE_MS);
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal });
    });
  });
}

/** The process and its whole group, at once. */
function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
