import { type ChildProcess, spawn } from "node:child_process";
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
  /** What the sandbox itself complained of, not the command. */
  readonly complaint: string;
}

/** Runs a process and all that it starts to the end, and ends them with it. Throws the signal's reason when that is aborted. */
export async function runProcess(plan: Omit<SpawnPlan, "finish">, timeoutMs: number, signal: AbortSignal): Promise<Ran> {
  signal.throwIfAborted();
  const child = spawn(plan.file, plan.args, {
    cwd: plan.cwd,
    env: plan.env,
    stdio: ["ignore", "pipe", "pipe", ...plan.feeds.map(() => "pipe" as const)],
    // A group of its own, so that all of it can be ended.
    detached: true,
  });
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
  for (const [at, feed] of plan.feeds.entries()) give(child.stdio[3 + at] as Writable, feed);

  const timer = setTimeout(() => {
    endedFor ??= "time";
    kill(child);
  }, timeoutMs);
  const stop = () => kill(child);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const { code, signal: by } = await ended(child, [stdout, stderr]);
    signal.throwIfAborted();
    return { code: code ?? undefined, signal: by ?? undefined, output: output.text(), endedFor, complaint: complaint.text().trim() };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    const mark = plan.env[MARK];
    if (mark !== undefined) endStrays(mark);
  }
}

function give(pipe: Writable, feed: string): void {
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
