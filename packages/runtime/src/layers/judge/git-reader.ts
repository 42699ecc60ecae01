import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BatchReader } from "./batch-reader.ts";
import { ownGitFolders } from "../../tools/protected/own-git.ts";
import type { LayerFolder } from "../layer-folder.ts";
import { inOverlay, type Overlay } from "../overlay.ts";
import { mayHaveObject } from "./object-lookup.ts";

const TIME_MS = 30_000;
const MAX_OUTPUT_BYTES = 256_000_000;
/** After so many damaged objects the rest counts as damaged too. */
const MAX_DAMAGED = 20;

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

  /** The command changed something in a git folder, so that git answers differently after it. */
  readonly #isTouched: boolean;

  /** The repository's own folder, relative to the project. */
  readonly folder: string;

  private constructor(
    sandbox: GitSandbox,
    view: Pick<GitReader, "folder"> & { readonly isTouched: boolean },
    layer: LayerFolder,
    overlay?: Overlay,
  ) {
    this.#sandbox = sandbox;
    this.#layer = layer;
    this.#overlay = overlay;
    this.#isTouched = view.isTouched;
    this.folder = view.folder;
  }

  /** None where the project has no repository of its own. `changed`: every path that the command changed. */
  static for(
    sandbox: GitSandbox | undefined,
    layer: LayerFolder,
    overlay: Overlay | undefined,
    changed: readonly string[],
  ): GitReader | undefined {
    const folders = ownGitFolders(layer.root);
    const [folder] = folders;
    if (!sandbox || folder === undefined) return undefined;
    const isTouched = changed.some((path) => folders.some((own) => isIn(path, own) || isIn(own, path)));
    return new GitReader(sandbox, { folder, isTouched }, layer, overlay);
  }

  /** Names of objects are made with this. */
  get algorithm(): "sha1" | "sha256" {
    return /^\s*objectformat\s*=\s*sha256\s*$/im.test(this.#text("config")) ? "sha256" : "sha1";
  }

  /** The commit that the project is on, as it was before the command. */
  get head(): string | undefined {
    const head = this.#text("HEAD").trim();
    if (/^[0-9a-f]{40,64}$/.test(head)) return head;
    const name = /^ref: (refs\/\S+)$/.exec(head)?.[1];
    if (name === undefined) return undefined;
    const loose = this.#text(name).trim();
    if (/^[0-9a-f]{40,64}$/.test(loose)) return loose;
    return this.#text("packed-refs")
      .split("\n")
      .find((line) => line.endsWith(` ${name}`))
      ?.split(" ")[0];
  }

  /** Could git have had this content before the command, by the name that it would give it? */
  mayHave(id: string | undefined): boolean {
    return id !== undefined && mayHaveObject(join(this.#layer.root, this.folder), id);
  }

  #text(name: string): string {
    try {
      return readFileSync(join(this.#layer.root, this.folder, name), "utf8");
    } catch {
      return ""; // Not there.
    }
  }

  /** Gives nothing when git fails, or takes too long. */
  async run(where: "before" | "after", args: readonly string[], input = ""): Promise<string | undefined> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const isDone = await this.#read(where, args, input, (chunk) => {
      bytes += chunk.length;
      chunks.push(chunk);
      return bytes <= MAX_OUTPUT_BYTES;
    });
    return isDone ? Buffer.concat(chunks).toString("utf8") : undefined;
  }

  /** Those of these objects that git has. */
  async contents(where: "before" | "after", ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const answer = await this.run(where, ["cat-file", "--batch-check=%(objectname) %(objecttype)"], ids.map((id) => `${id}\n`).join(""));
    return new Set(answer?.split("\n").flatMap((line) => /^([0-9a-f]{40,64}) (?:blob|tree|commit|tag)$/.exec(line)?.[1] ?? []));
  }

  /** Those of these blobs that git can read after the command, whole. One process reads all of them. */
  async readable(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const reader = new BatchReader(this.algorithm);
    let left = ids;
    // Git ends at the first one that is damaged: it is skipped, and the rest read by another process.
    for (let tries = 0; left.length > 0 && tries < MAX_DAMAGED; tries += 1) {
      const input = left.map((id) => `${id}\n`).join("");
      if (await this.#read("after", ["cat-file", "--batch"], input, (chunk) => (reader.add(chunk), true))) break;
      left = left.slice(left.findLastIndex((id) => reader.whole.has(id)) + 2);
      reader.restart();
    }
    return reader.whole;
  }

  /**
   * Was it read to its end? `take` says whether to go on. Ask only for what is in the repository: where the command left that alone,
   * git is asked in the project, which needs no mount.
   */
  async #read(when: "before" | "after", args: readonly string[], input: string, take: (chunk: Buffer) => boolean): Promise<boolean> {
    const { root, merged } = this.#layer;
    const where = this.#isTouched ? when : "before";
    const orders = [...this.#sandbox.orders, "--ro-bind", where === "before" ? root : merged, root, "--remount-ro", "/", "--chdir", root];
    const command = [this.#sandbox.file, ...orders, "--", ...GIT, ...args];
    const [direct = "", ...directArgs] = command;
    const { file, args: all } =
      where === "before" || !this.#overlay
        ? { file: direct, args: directArgs }
        : inOverlay(this.#overlay, this.#layer, command, { isReading: true });
    const nothing = openSync("/dev/null", "w");
    try {
      return await new Promise<boolean>((resolve) => {
        const env = { PATH: "/usr/bin:/bin", HOME: "/tmp", LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_NO_REPLACE_OBJECTS: "1" };
        const child = spawn(file, all, { env, stdio: ["pipe", "pipe", nothing], timeout: TIME_MS, killSignal: "SIGKILL" });
        child.stdout?.on("data", (chunk: Buffer) => {
          if (!take(chunk)) child.kill("SIGKILL");
        });
        child.on("error", () => resolve(false));
        child.on("close", (code) => resolve(code === 0));
        child.stdin?.on("error", () => {}); // A git that has ended says so itself.
        child.stdin?.end(input);
      });
    } finally {
      closeSync(nothing);
    }
  }
}

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
