import { execFile, spawnSync } from "node:child_process";

/** A program to probe. */
export interface ProbeCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Probed {
  readonly isWorking: boolean;
  /** Why it couldn't run, or its error output. */
  readonly complaint: string;
}

/** Probes programs one by one. The same steps run synchronously, or without blocking the process. */
export type Probing<Found> = Generator<ProbeCommand, Found, Probed>;

const TIMEOUT_MS = 10_000;

/** Blocks the process until it is done. For commands that wait for it anyway. */
export function probeNow<Found>(probing: Probing<Found>): Found {
  let next = probing.next();
  while (!next.done) {
    const { file, args, env } = next.value;
    const { status, stderr, error } = spawnSync(file, args, { encoding: "utf8", timeout: TIMEOUT_MS, env, cwd: "/" });
    next = probing.next({ isWorking: status === 0, complaint: error?.message ?? (stderr.trim() || `it ended with ${status}`) });
  }
  return next.value;
}

/** The same without blocking: a server continues meanwhile. */
export async function probeAside<Found>(probing: Probing<Found>): Promise<Found> {
  let next = probing.next();
  while (!next.done) next = probing.next(await outcome(next.value));
  return next.value;
}

const outcome = ({ file, args, env }: ProbeCommand): Promise<Probed> =>
  new Promise((resolve) => {
    execFile(file, args, { encoding: "utf8", timeout: TIMEOUT_MS, env, cwd: "/" }, (error, _, stderr) =>
      resolve({
        isWorking: error === null,
        complaint: typeof error?.code === "string" ? error.message : stderr.trim() || `it ended with ${error?.code ?? 0}`,
      }),
    );
  });
