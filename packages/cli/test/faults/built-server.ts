import { readServerFile } from "@colloquy/server";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../bin/colloquy.js", import.meta.url));

/** Running servers, so that an early exit leaves none behind. */
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export interface StartOptions {
  readonly port?: number;
  /** Options for Node itself, such as a module to preload. */
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The published `colloquy serve`, in a separate process. */
export class BuiltServer {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  private constructor(child: ChildProcess, exited: Promise<unknown>, url: string, token: string) {
    this.#child = child;
    this.#exited = exited;
    this.pid = child.pid ?? 0;
    this.url = url;
    this.token = token;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Resolves when it serves; throws its output if it ends before. */
  static async start(dir: string, { port = 0, nodeArgs = [], env = {} }: StartOptions = {}): Promise<BuiltServer> {
    const child = spawn(process.execPath, [...nodeArgs, bin, "-C", dir, "serve", "--port", String(port)], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env["PATH"] ?? "", HOME: tmpdir(), COLLOQUY_TRUST: "1", ...env },
    });
    running.add(child);
    const exited = once(child, "exit").finally(() => running.delete(child));
    let said = "";
    const link = await new Promise<URL>((resolve, reject) => {
      const hear = (text: string) => {
        said = (said + text).slice(-20_000);
        const [, found] = /^Open (\S+)\n/m.exec(said) ?? [];
        if (found) resolve(new URL(found));
      };
      child.stdout.setEncoding("utf8").on("data", hear);
      child.stderr.setEncoding("utf8").on("data", hear);
      child.on("close", () => reject(new Error(`The server ended: ${said.trim()}`)));
    });
    return new BuiltServer(child, exited, link.origin, readServerFile(dir)?.token ?? "");
  }

  /** Starts it and kills it after this long, whatever it is doing. */
  static async killedWhileStarting(dir: string, ms: number): Promise<void> {
    const child = spawn(process.execPath, [bin, "-C", dir, "serve", "--port", "0"], { stdio: "ignore" });
    const exited = once(child, "exit");
    setTimeout(() => child.kill("SIGKILL"), ms);
    await exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it with this signal, and waits for the exit. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.#child.kill(signal);
    await this.#exited;
  }

  /** Sends an HTTP request; nothing if the server is gone. */
  async api(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown } | undefined> {
    try {
      const response = await fetch(`${this.url}/api/projects/shop${path}`, {
        method,
        headers: { authorization: `Bearer ${this.token}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    } catch {
      return undefined; // killed in flight: the caller doesn't know the outcome, and retries
    }
  }

  /** The response, which must exist. */
  async must(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await this.api(method, path, body);
    if (!answer || answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer ? `${answer.status} ${JSON.stringify(answer.body)}` : "no server"}`);
    return answer.body;
  }
}
