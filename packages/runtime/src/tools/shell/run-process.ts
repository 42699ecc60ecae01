import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { CapturedOutput } from "./captured-output.ts";
import type { SpawnPlan } from "./sandbox.ts";
import { spawnPlan } from "./spawn-plan.ts";
import { endStrays, MARK } from "./strays.ts";

/** Output beyond this is discarded: nobody reads it, and collecting it costs time. */
const MAX_OUTPUT_BYTES = 64_000_000;
/** How long to wait for the output to close after the command has ended: a process that left its group may keep it open. */
const GRACE_MS = 1_000;

export interface Ran {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly output: string;
  /** The command tried to write the project's requirements, and couldn't. */
  readonly failedOnRequirements: boolean;
  /** Why we ended it, if we did. */
  readonly endedFor: "time" | "output" | undefined;
  /** Why the sandbox didn't start the command, if it didn't. */
  readonly notStarted: string | undefined;
}

/** Runs a process to its end, and terminates everything it started. Throws the signal's reason on abort. */
export async function runProcess(plan: Omit<SpawnPlan, "finish">, timeoutMs: number, signal: AbortSignal): Promise<Ran> {
  signal.throwIfAborted();
  const { child, ready } = spawnPlan(plan, "ignore");
  const output = new CapturedOutput();
  const complaint = new CapturedOutput(2_000);
  let endedFor: Ran["endedFor"];
  let notReady: string | undefined;
  ready.catch((error: unknown) => {
    notReady = error instanceof Error ? error.message : String(error);
    kill(child);
  });
  const [stdout, stderr] = [child.stdio[1] as Readable, child.stdio[2] as Readable];
  stdout.on("data", (chunk: Buffer) => {
    output.add(chunk);
    if (output.bytes > MAX_OUTPUT_BYTES && endedFor === undefined) {
      endedFor = "output";
      kill(child);
    }
  });
  stderr.on("data", (chunk: Buffer) => complaint.add(chunk));
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
    // bubblewrap reports an exit code only if it got as far as the command.
    const wasStarted = plan.statusOn === undefined || by !== null || endedFor !== undefined || status.text().includes('"exit-code"');
    const said = complaint.text().trim();
    const { text, failedOnRequirements } = await output.readable(signal);
    return {
      code: code ?? undefined,
      signal: by ?? undefined,
      output: text,
      failedOnRequirements,
      endedFor,
      notStarted: notReady ?? (wasStarted ? undefined : said === "" ? `It ended with ${code}.` : said),
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    const mark = plan.env[MARK];
    if (mark !== undefined) endStrays(mark);
  }
}

function ended(child: ChildProcess, outputs: readonly Readable[]): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    child.on("error", reject);
    child.on("exit", () => {
      // Its background processes end with it.
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

/** Kills the process and its whole group. */
function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
