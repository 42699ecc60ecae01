import type { ChildProcess } from "node:child_process";
import { type SpawnPlan, spawnPlan } from "@colloquy/runtime";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

/** Grace periods: after its input has ended, and then after SIGTERM. */
const GRACE_MS = 1_500;
const MAX_LINE_BYTES = 32_000_000;
const MAX_STDERR_CHARACTERS = 2_000;

export interface Program extends Pick<SpawnPlan, "file" | "args" | "env" | "cwd" | "statusOn" | "connection"> {
  readonly feeds?: SpawnPlan["feeds"];
  /** Call when the process has ended. */
  readonly finish?: () => Promise<unknown>;
}

/**
 * A server as a child process: one JSON message per line. It has its own process group, so that everything it starts ends with it; it
 * ends when we die, because its input does.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  /** Also tells the client that this is a child process. */
  stderr = "";
  readonly #program: Program;
  #child: ChildProcess | undefined;
  #rest: Buffer[] = [];
  #restBytes = 0;
  #ended = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(program: Program) {
    this.#program = program;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const { child, ready } = spawnPlan({ feeds: {}, ...this.#program }, "pipe");
    this.#child = child;
    child.stdin?.on("error", (error) => this.onerror?.(error));
    child.stdout?.on("data", (chunk: Buffer) => this.#read(chunk));
    child.stderr?.on("data", (chunk: Buffer) => (this.stderr = (this.stderr + chunk.toString("utf8")).slice(-MAX_STDERR_CHARACTERS)));
    child.on("exit", () => this.#over());
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => {
        this.#over();
        reject(error);
      });
    });
    await ready.catch((error: unknown) => {
      signalGroup(child, "SIGKILL");
      throw error;
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin || this.#isClosed) throw new Error("The server's process has ended.");
    const failed = await new Promise<Error | null | undefined>((resolve) => stdin.write(`${JSON.stringify(message)}\n`, resolve));
    if (!failed || !this.#child) return;
    // A process that takes no more input has ended, or nearly: the exit is noticed before the failure is reported.
    signalGroup(this.#child, "SIGKILL");
    await this.#ended.promise;
    throw failed;
  }

  /** Closes its input; then sends SIGTERM; then kills it with everything it has started. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return this.#finish();
    if (this.#isClosed) return this.#ended.promise;
    child.stdin?.end();
    if (!(await this.#endsSoon())) {
      signalGroup(child, "SIGTERM");
      await this.#endsSoon();
    }
    signalGroup(child, "SIGKILL");
    await this.#ended.promise;
  }

  async #endsSoon(): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, GRACE_MS, false);
    const ends = await Promise.race([this.#ended.promise.then(() => true), late]);
    clearTimeout(timer);
    return ends;
  }

  #over(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Its background processes end with it.
    if (this.#child) signalGroup(this.#child, "SIGKILL");
    void this.#finish().finally(() => {
      this.#ended.resolve();
      this.onclose?.();
    });
  }

  /** The sandbox's cleanup must not keep anybody waiting for ever. */
  async #finish(): Promise<void> {
    try {
      await this.#program.finish?.();
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #read(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...this.#rest, chunk.subarray(from, at)])
        .toString("utf8")
        .trim();
      this.#rest = [];
      this.#restBytes = 0;
      from = at + 1;
      if (line !== "") this.#receive(line);
    }
    const rest = chunk.subarray(from);
    if (rest.length === 0) return;
    this.#rest.push(rest);
    this.#restBytes += rest.length;
    if (this.#restBytes <= MAX_LINE_BYTES) return;
    this.#rest = [];
    this.onerror?.(new Error(`It sent a line of more than ${MAX_LINE_BYTES} bytes.`));
    void this.close();
  }

  /** Many servers print a greeting where only messages belong: it is skipped. */
  #receive(line: string): void {
    try {
      this.onmessage?.(JSON.parse(line) as JSONRPCMessage);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
