import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ownGitFolders } from "../../tools/protected/own-git.ts";
import type { LayerFolder } from "../layer-folder.ts";
import { inOverlay, type Overlay } from "../overlay.ts";

const TIME_MS = 30_000;
const MAX_OUTPUT_BYTES = 256_000_000;

/** How git is run in the sandbox, read-only and without a network. Git obeys files that an agent may have written. Plain data. */
export interface GitSandbox {
  readonly file: string;
  /** Orders before those that mount the project. */
  readonly orders: readonly string[];
}

const GIT = ["/usr/bin/git", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

/** Asks git about the project as it was, and as a command left it. */
export class GitReader {
  readonly #sandbox: GitSandbox;
  readonly #layer: LayerFolder;
  readonly #overlay: Overlay | undefined;

  /** The repository's own folder, relative to the project. */
  readonly folder: string;

  private constructor(sandbox: GitSandbox, layer: LayerFolder, overlay: Overlay | undefined, folder: string) {
    this.#sandbox = sandbox;
    this.#layer = layer;
    this.#overlay = overlay;
    this.folder = folder;
  }

  /** None where the project has no repository of its own. */
  static for(sandbox: GitSandbox | undefined, layer: LayerFolder, overlay: Overlay | undefined): GitReader | undefined {
    const [folder] = ownGitFolders(layer.root);
    return sandbox && folder !== undefined ? new GitReader(sandbox, layer, overlay, folder) : undefined;
  }

  /** Names of objects are made with this. */
  get algorithm(): "sha1" | "sha256" {
    return /^\s*objectformat\s*=\s*sha256\s*$/im.test(this.#read("config")) ? "sha256" : "sha1";
  }

  /** The commit that the project is on, as it was before the command. */
  get head(): string | undefined {
    const head = this.#read("HEAD").trim();
    if (/^[0-9a-f]{40,64}$/.test(head)) return head;
    const name = /^ref: (refs\/\S+)$/.exec(head)?.[1];
    if (name === undefined) return undefined;
    const loose = this.#read(name).trim();
    if (/^[0-9a-f]{40,64}$/.test(loose)) return loose;
    return this.#read("packed-refs")
      .split("\n")
      .find((line) => line.endsWith(` ${name}`))
      ?.split(" ")[0];
  }

  #read(name: string): string {
    try {
      return readFileSync(join(this.#layer.root, this.folder, name), "utf8");
    } catch {
      return ""; // Not there.
    }
  }

  /** Gives nothing when git fails, or takes too long. */
  async run(where: "before" | "after", args: readonly string[], input = ""): Promise<string | undefined> {
    const { root, merged } = this.#layer;
    const orders = [...this.#sandbox.orders, "--ro-bind", where === "before" ? root : merged, root, "--remount-ro", "/", "--chdir", root];
    const command = [this.#sandbox.file, ...orders, "--", ...GIT, ...args];
    const [direct = "", ...directArgs] = command;
    const { file, args: all } =
      where === "before" || !this.#overlay
        ? { file: direct, args: directArgs }
        : inOverlay(this.#overlay, this.#layer, command, { isReading: true });
    const nothing = openSync("/dev/null", "w");
    try {
      return await new Promise<string | undefined>((resolve) => {
        const env = { PATH: "/usr/bin:/bin", HOME: "/tmp", LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_NO_REPLACE_OBJECTS: "1" };
        const child = spawn(file, all, { env, stdio: ["pipe", "pipe", nothing], timeout: TIME_MS, killSignal: "SIGKILL" });
        const chunks: Buffer[] = [];
        let bytes = 0;
        child.stdout?.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MAX_OUTPUT_BYTES) child.kill("SIGKILL");
          else chunks.push(chunk);
        });
        child.on("error", () => resolve(undefined));
        child.on("close", (code) => resolve(code === 0 ? Buffer.concat(chunks).toString("utf8") : undefined));
        child.stdin?.on("error", () => {}); // A git that has ended says so itself.
        child.stdin?.end(input);
      });
    } finally {
      closeSync(nothing);
    }
  }
}
