import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { devNull } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { SpawnPlan } from "./sandbox.ts";

export interface Spawned {
  readonly child: ChildProcess;
  /** Resolves when the process has its network connection. Rejects if that fails; the caller must then end the process. */
  readonly ready: Promise<void>;
}

/** Starts a process as planned, in a process group of its own, so that everything it starts can be ended. Its outputs are pipes. */
export function spawnPlan(plan: Omit<SpawnPlan, "finish">, stdin: "ignore" | "pipe"): Spawned {
  const { file, args, cwd, env, feeds, statusOn, connection } = plan;
  const fed = Object.entries(feeds).map(([fd, feed]) => ({ fd: Number(fd), feed }));
  const piped = [
    ...(stdin === "pipe" ? [0] : []),
    1,
    2,
    ...(statusOn === undefined ? [] : [statusOn]),
    ...(connection ? [connection.pidOn, connection.waitsOn] : []),
    ...fed.map(({ fd }) => fd),
  ];
  const nothing = openSync(devNull, "r+");
  try {
    const child = spawn(file, args, { cwd, env, stdio: descriptors(piped, nothing), detached: true, windowsHide: true });
    for (const { fd, feed } of fed) give(child.stdio[fd] as Writable, feed);
    return { child, ready: connection ? connected(child, connection) : Promise.resolve() };
  } finally {
    closeSync(nothing);
  }
}

/**
 * The child's descriptors. Node closes its own files in a child, but not those that Node itself inherited: an open folder among them
 * would be a way out of every sandbox. So inherited descriptors are replaced by /dev/null.
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
    return true; // Closed by now: the descriptor with which this folder was read.
  }
}

function give(pipe: Writable, feed: string | Uint8Array): void {
  // If the process died before reading it, its exit is reported elsewhere.
  pipe.on("error", () => {});
  pipe.end(feed);
}

async function connected(child: ChildProcess, { pidOn, waitsOn, connect }: NonNullable<SpawnPlan["connection"]>): Promise<void> {
  const waits = child.stdio[waitsOn] as Writable;
  waits.on("error", () => {}); // The process has ended.
  const over = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const pid = await pidFrom(child.stdio[pidOn] as Readable);
  if (pid === undefined) return; // It ended first; its error output says why.
  const disconnect = await connect(pid);
  void over.then(disconnect);
  waits.end("\n");
}

/** bubblewrap writes its process id as JSON, and more after it. Read to the end: otherwise SIGPIPE would end bubblewrap. */
function pidFrom(pipe: Readable): Promise<number | undefined> {
  let text = "";
  return new Promise((resolve) => {
    pipe.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const pid = /"child-pid": (\d+)\b[^\d]/.exec(text)?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
    pipe.on("close", () => resolve(undefined));
  });
}
