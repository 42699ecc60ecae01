import { readServerFile } from "@colloquy/server";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../bin/colloquy.js", import.meta.url));

/** Those that run now: whoever ends early leaves none of them behind. */
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export interface StartOptions {
  readonly port?: number;
  /** For Node itself, such as a module to load first. */
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** `colloquy serve` as it is published, in a process of its own. */
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

  /** Resolves when it serves; throws what it says when it ends before. */
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

  /** Starts it and kills it after so long, whatever it is doing by then. */
  static async killedWhileStarting(dir: string, ms: number): Promise<void> {
    const child = spawn(process.execPath, [bin, "-C", dir, "serve", "--port", "0"], { stdio: "ignore" });
    const exited = once(child, "exit");
    setTimeout(() => child.kill("SIGKILL"), ms);
    await exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it so, and waits for the end. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.#child.kill(signal);
    await this.#exited;
  }

  /** Asks over HTTP; nothing when the server is gone. */
  async api(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown } | undefined> {
    try {
      const response = await fetch(`${this.url}/api/projects/shop${path}`, {
        method,
        headers: { authorization: `Bearer ${this.token}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    } catch {
      return undefined; // killed under way: whoever asked does not know, and asks again
    }
  }

  /** What it answers, where there must be an answer. */
  async must(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await this.api(method, path, body);
    if (!answer || answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer ? `${answer.status} ${JSON.stringify(answer.body)}` : "no server"}`);
    return answer.body;
  }
}
