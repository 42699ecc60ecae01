import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Done, Told } from "./host.ts";

const script = fileURLToPath(new URL("./host.ts", import.meta.url));
// No telemetry.
const quiet = {
  MASTRA_TELEMETRY_DISABLED: "1",
  OPENAI_AGENTS_DISABLE_TRACING: "1",
  LANGCHAIN_TRACING_V2: "false",
  RESTATE_LOGGING: "ERROR",
  DO_NOT_TRACK: "1",
  NODE_NO_WARNINGS: "1",
};

/** A system that exceeds this time for one operation drops out, so that a run ends. */
const LIMIT_MS = 90_000;

/** The parent's end of a system's process. */
export class Guest {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #complaints = "";

  private constructor(id: string) {
    this.#child = fork(script, [id], { stdio: ["ignore", "pipe", "pipe", "ipc"], env: { ...process.env, ...quiet } });
    this.#exited = once(this.#child, "exit");
    const keep = (text: string) => (this.#complaints = (this.#complaints + text).slice(-2_000));
    this.#child.stdout?.setEncoding("utf8").on("data", keep);
    this.#child.stderr?.setEncoding("utf8").on("data", keep);
  }

  /** A process with the system's code loaded. */
  static async start(id: string): Promise<Guest> {
    const guest = new Guest(id);
    await guest.#answer();
    return guest;
  }

  tell(told: Told): Promise<Partial<Done>> {
    this.#child.send(told);
    return this.#answer();
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  async #answer(): Promise<Partial<Done>> {
    const gone = this.#exited.then(() => Promise.reject(new Error(`The process is gone.\n${this.#complaints}`)));
    gone.catch(() => {}); // heard below, or nobody waits any more
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`No end after ${LIMIT_MS / 1_000} s.\n${this.#complaints}`)), LIMIT_MS);
    });
    const [said] = (await Promise.race([once(this.#child, "message"), gone, tooLong]).finally(() => clearTimeout(timer))) as [
      { done?: Partial<Done>; error?: string },
    ];
    if (said.error !== undefined) throw new Error(said.error);
    return said.done ?? {};
  }
}
