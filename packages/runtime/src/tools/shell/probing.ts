import { execFile, spawnSync } from "node:child_process";

/** A program that is tried out. */
export interface ProbeCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Probed {
  readonly isWorking: boolean;
  /** Why it could not be run, or what it said on its way out. */
  readonly complaint: string;
}

/** Tries out programs one by one. The same steps can be taken at once, or without holding up whatever else this process does. */
export type Probing<Found> = Generator<ProbeCommand, Found, Probed>;

const TIMEOUT_MS = 10_000;

/** Holds up everything until it is known. For commands that wait for it anyway. */
export function probeNow<Found>(probing: Probing<Found>): Found {
  let next = probing.next();
  while (!next.done) {
    const { file, args, env } = next.value;
    const { status, stderr, error } = spawnSync(file, args, { encoding: "utf8", timeout: TIMEOUT_MS, env, cwd: "/" });
    next = probing.next({ isWorking: status === 0, complaint: error?.message ?? (stderr.trim() || `it ended with ${status}`) });
  }
  return next.value;
}

/** The same without holding up anything: a server goes on meanwhile. */
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
