import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { BatchReader } from "./batch-reader.ts";
import { statOf } from "../../identity.ts";
import type { LayerFolder } from "../../layer-folder.ts";
import { inOverlay, type Overlay } from "../../overlay.ts";
import { removeTree } from "../../remove-tree.ts";
import { textOf } from "./git-files.ts";
import { mayHaveObject } from "./object-lookup.ts";

const TIME_MS = 30_000;
const MAX_OUTPUT_BYTES = 256_000_000;
const MAX_MASKS = 200;
/** After this many damaged objects the rest counts as damaged. */
const MAX_DAMAGED = 20;

/** How git runs in the sandbox, read-only and without a network: git obeys files that an agent may have written. Plain data. */
export interface GitSandbox {
  readonly file: string;
  /** Arguments before those that mount the project. */
  readonly orders: readonly string[];
}

const GIT = ["/usr/bin/git", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

/** A layer as git sees it. */
export interface GitView {
  readonly sandbox: GitSandbox;
  readonly layer: LayerFolder;
  readonly overlay: Overlay | undefined;
  /** Where the layer can be read. */
  readonly merged: string;
  /** Changed paths that won't be applied: git must see them as they were before. */
  readonly refused: readonly string[];
}

/** Queries git about a repository before and after a command. */
export class GitReader {
  readonly #view: GitView;
  #masks: readonly string[] | "unreadable" | undefined;
  /** It once did not answer in time: another answer would take as long. */
  #isStuck = false;

  /** The command changed something in a git folder, so git's answers differ after it. */
  readonly #isTouched: boolean;

  /** The repository's git folder, relative to the project. */
  readonly folder: string;
  /** The repository's folder, relative to the project. */
  readonly place: string;

  constructor(view: GitView, { folder, place, isTouched }: Pick<GitReader, "folder" | "place"> & { readonly isTouched: boolean }) {
    this.#view = view;
    this.#isTouched = isTouched;
    this.folder = folder;
    this.place = place;
  }

  /** A path of the project, relative to this repository. */
  inside(path: string): string {
    return this.place === "" ? path : path.slice(this.place.length + 1);
  }

  /** A partial clone: some of its objects are elsewhere and would be fetched when needed. */
  get isPartial(): boolean {
    return /^[ \t]*(?:promisor|partialclone)[ \t]*=/im.test(this.#text("config"));
  }

  /** References are in git's own tables, which only git reads. */
  get hasTables(): boolean {
    return /^[ \t]*refstorage[ \t]*=[ \t]*reftable/im.test(this.#text("config"));
  }

  /** The hash algorithm of object names. */
  get algorithm(): "sha1" | "sha256" {
    return /^[ \t]*objectformat[ \t]*=[ \t]*sha256[ \t]*\r?$/im.test(this.#text("config")) ? "sha256" : "sha1";
  }

  /** The commit checked out before the command. */
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

  /** Could git have had this content before the command, by its object name? */
  mayHave(id: string | undefined): boolean {
    return id !== undefined && mayHaveObject(join(this.#view.layer.root, this.folder), id);
  }

  #text(name: string): string {
    return textOf(join(this.#view.layer.root, this.folder, name));
  }

  /** Returns nothing if git fails, times out or writes too much. */
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

  /** Which of these objects git has; nothing if git fails. */
  async contents(where: "before" | "after", ids: readonly string[]): Promise<ReadonlySet<string> | undefined> {
    if (ids.length === 0) return new Set();
    const answer = await this.run(where, ["cat-file", "--batch-check=%(objectname) %(objecttype)"], ids.map((id) => `${id}\n`).join(""));
    return answer === undefined
      ? undefined
      : new Set(answer.split("\n").flatMap((line) => /^([0-9a-f]{40,64}) (?:blob|tree|commit|tag)$/.exec(line)?.[1] ?? []));
  }

  /** Which of these blobs git can read intact after the command. One process reads all of them. */
  async readable(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const reader = new BatchReader(this.algorithm);
    let left = ids;
    // Git exits at the first damaged one: it is skipped, and another process reads the rest.
    for (let tries = 0; left.length > 0 && tries < MAX_DAMAGED; tries += 1) {
      const input = left.map((id) => `${id}\n`).join("");
      if (await this.#read("after", ["cat-file", "--batch"], input, (chunk) => (reader.add(chunk), true))) break;
      left = left.slice(left.findLastIndex((id) => reader.whole.has(id)) + 2);
      reader.restart();
    }
    return reader.whole;
  }

  /**
   * Was it read to its end? `take` says whether to continue. Ask only for what is in the repository: if the command left it alone, git
   * is queried in the project, which needs no mount.
   */
  async #read(when: "before" | "after", args: readonly string[], input: string, take: (chunk: Buffer) => boolean): Promise<boolean> {
    const where = this.#isTouched ? when : "before";
    const { sandbox, layer, overlay } = this.#view;
    const { root, merged } = layer;
    const masks = where === "after" ? (this.#masks ??= masksOf(this.#view, this.folder)) : [];
    if (masks === "unreadable" || this.#isStuck) return false;
    const orders = [
      ...sandbox.orders,
      "--ro-bind",
      where === "before" ? root : merged,
      root,
      ...masks,
      "--remount-ro",
      "/",
      "--chdir",
      join(root, this.place),
    ];
    const command = [sandbox.file, ...orders, "--", ...GIT, ...args];
    const [direct = "", ...directArgs] = command;
    const reading = where === "before" || !overlay ? undefined : workFolder(layer);
    const { file, args: all } =
      reading === undefined || !overlay ? { file: direct, args: directArgs } : inOverlay(overlay, layer, command, reading);
    const nothing = openSync("/dev/null", "w");
    try {
      return await new Promise<boolean>((resolve) => {
        const env = { PATH: "/usr/bin:/bin", HOME: "/tmp", LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_NO_REPLACE_OBJECTS: "1" };
        const child = spawn(file, all, { env, stdio: ["pipe", "pipe", nothing], timeout: TIME_MS, killSignal: "SIGKILL" });
        child.stdout?.on("data", (chunk: Buffer) => {
          if (!take(chunk)) child.kill("SIGKILL");
        });
        child.on("error", () => resolve(false));
        const begun = performance.now();
        child.on("close", (code, signal) => {
          if (signal === "SIGKILL" && performance.now() - begun >= TIME_MS) this.#isStuck = true;
          resolve(code === 0);
        });
        child.stdin?.on("error", () => {}); // A git that has ended reports it itself.
        child.stdin?.end(input);
      });
    } finally {
      closeSync(nothing);
      if (reading !== undefined) removeTree(join(layer.path, reading));
    }
  }
}

let mounts = 0;

/** One per process, since several may run at a time. */
function workFolder(layer: LayerFolder): string {
  const name = `reading-${(mounts += 1)}`;
  mkdirSync(join(layer.path, name), { mode: 0o700 });
  return name;
}

/** Arguments that show git the protected paths unchanged. A link can't be covered: then nobody can tell what git would find. */
function masksOf({ layer: { root }, merged, refused }: GitView, folder: string): readonly string[] | "unreadable" {
  const inGit = refused.filter((path) => path === folder || path.startsWith(`${folder}/`));
  const masks: string[] = [];
  for (const path of inGit) {
    const [old, fresh] = [statOf(join(root, path)), statOf(join(merged, path))];
    if (!fresh) continue; // Without it git finds less, never more.
    if (fresh.isSymbolicLink() || inGit.length > MAX_MASKS) return "unreadable";
    if (old && !old.isSymbolicLink() && old.isDirectory() === fresh.isDirectory())
      masks.push("--ro-bind", join(root, path), join(root, path));
    else if (old) return "unreadable";
    else masks.push(...(fresh.isDirectory() ? ["--tmpfs"] : ["--ro-bind", "/dev/null"]), join(root, path));
  }
  return masks;
}
