import type { GitSandbox } from "../../layers/judge/git/git-reader.ts";
import { findBubblewrap } from "./bubblewrap.ts";
import { probeAside, probeNow, type Probing } from "./probing.ts";

/** A command's network: none, a separate one with a way out, or the machine's. */
export type CommandNetwork = "none" | "own" | "host";

export const commandNetwork = ({ network, hostNetwork }: { readonly network: boolean; readonly hostNetwork: boolean }): CommandNetwork =>
  !network ? "none" : hostNetwork ? "host" : "own";

/** A command and what it may reach. */
export interface CommandRequest {
  /** A shell line, or a program with its arguments. */
  readonly command: string | readonly string[];
  /** The project's folder and the working directory, real paths. */
  readonly root: string;
  readonly cwd: string;
  readonly network: CommandNetwork;
  /** Paths in the project that are read-only because we run them, whether they exist or not. */
  readonly programs: readonly string[];
  /** Its whole environment, except the home folder. */
  readonly env: Readonly<Record<string, string>>;
  readonly callId: string;
  readonly signal: AbortSignal;
  /** The project can only be read. */
  readonly isReadOnly?: boolean;
  /** Receives the command's writes; absent: the project does. */
  readonly layer?: CommandLayer;
}

/** The project with a layer over it. */
export interface CommandLayer {
  /** Its path for what `enter` starts. */
  readonly merged: string;
  /** It is mounted in a user namespace, in which we are root. */
  readonly isInUserNamespace: boolean;
  readonly enter: (command: readonly string[]) => { readonly file: string; readonly args: readonly string[] };
}

/** The process to start instead of the command. */
export interface SpawnPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Its input, by descriptor, from 3 on. */
  readonly feeds: Readonly<Record<number, string | Uint8Array>>;
  /** The descriptor on which it reports that the command was started and has ended; absent: the process is the command. */
  readonly statusOn?: number;
  /** Before the command starts: one descriptor names its process, which waits on the other while it is connected. */
  readonly connection?: { readonly pidOn: number; readonly waitsOn: number; readonly connect: (pid: number) => Promise<() => void> };
  /** Call when the process is over, whatever its outcome. Returns notes for the agent. */
  readonly finish: () => Promise<readonly string[]>;
}

/** Keeps commands away from everything but the project. */
export interface Sandbox {
  readonly name: string;
  /** Features missing on this machine, for people. */
  readonly lacks: readonly string[];
  plan(request: CommandRequest): Promise<SpawnPlan>;
  /** How git is run to query a layer; absent: layers aren't supported. */
  readonly git?: (layer: CommandLayer) => GitSandbox;
}

export type SandboxStatus =
  | { readonly isIsolated: true; readonly sandbox: Sandbox }
  /** `message` is for people: what is missing, what that means, and what to do. */
  | { readonly isIsolated: false; readonly reason: string; readonly message: string };

let working: Sandbox | undefined;

/** Whether commands are isolated on this machine. Success is remembered; a failure may be fixed while we run. */
export function sandboxStatus(): SandboxStatus {
  return probeNow(findSandbox());
}

/** The same, without blocking the process. */
export const findOutSandbox = (): Promise<SandboxStatus> => probeAside(findSandbox());

function* findSandbox(): Probing<SandboxStatus> {
  if (working) return { isIsolated: true, sandbox: working };
  const found = process.platform === "linux" ? yield* findBubblewrap() : { problem: `there is no sandbox for ${process.platform}` };
  if ("problem" in found) return notIsolated(found.problem);
  working = found;
  return { isIsolated: true, sandbox: found };
}

export function notIsolated(problem: string): SandboxStatus {
  const install = problem.endsWith("is missing") ? " Install: sudo apt-get install bubblewrap" : "";
  const reason = `Commands are not isolated here (${problem}).`;
  return { isIsolated: false, reason, message: `${reason} Each one will ask you.${install}` };
}
