import { closeSync, readFileSync } from "node:fs";
import { looksBinary } from "./text/binary.ts";
import { type LinkJudge, linkJudge } from "./hard-links.ts";
import { globMatcher, type Ignored } from "./ignored.ts";
import { ignoredOnTheWay } from "./listing.ts";
import { OpenFolder } from "./open-at.ts";
import { isSettingsName, withoutKeys } from "../protected/git-keys.ts";
import { isInGit } from "../protected/git-shape.ts";
import { hiddenIn } from "../shell/stand-ins.ts";

const MAX_BYTES = 5_000_000;
const SHOWN_COLUMNS = 240;

export interface SearchJob {
  readonly root: string;
  /** The folder to start in, or the folder of the only file to search. */
  readonly inside: string;
  readonly only?: string;
  /** Empty: every file matches, by its name alone. */
  readonly pattern: string;
  readonly glob?: string;
  readonly most: number;
}

/** A matching line, or only a file. */
export interface Hit {
  readonly file: string;
  readonly line?: number;
  readonly text?: string;
}

export interface SearchEnd {
  readonly files: number;
  readonly isCut: boolean;
  /** Too large to be searched. */
  readonly large: readonly string[];
}

/** Thrown through the walk when enough was found. */
class Enough extends Error {}

/** Searches folder by folder, sorted by name. Links aren't followed: their targets are searched where they are. */
export function search(job: SearchJob, tell: (hits: readonly Hit[]) => void): SearchEnd {
  const run = new Search(job, tell);
  try {
    run.start();
    return run.end(false);
  } catch (error) {
    if (error instanceof Enough) return run.end(true);
    throw error;
  }
}

class Search {
  readonly #job: SearchJob;
  readonly #tell: (hits: readonly Hit[]) => void;
  readonly #pattern: RegExp | undefined;
  readonly #fits: (inside: string) => boolean;
  readonly #isOpen: LinkJudge;
  readonly #isHidden: (inside: string) => boolean;
  readonly #large: string[] = [];
  #files = 0;
  #left: number;

  constructor(job: SearchJob, tell: (hits: readonly Hit[]) => void) {
    this.#job = job;
    this.#tell = tell;
    this.#left = job.most;
    this.#pattern = job.pattern === "" ? undefined : compiled(job.pattern);
    this.#fits = job.glob === undefined ? () => true : globMatcher(job.glob);
    this.#isOpen = linkJudge(job.root);
    this.#isHidden = hiddenIn(job.root);
  }

  start(): void {
    const { root, inside, only } = this.#job;
    OpenFolder.with(root, inside, (folder) => {
      if (only !== undefined) this.#look(folder, only, inside === "" ? only : `${inside}/${only}`);
      else this.#through(folder, inside, ignoredOnTheWay(root, inside));
    });
  }

  end(isCut: boolean): SearchEnd {
    return { files: this.#files, isCut, large: this.#large };
  }

  #through(folder: OpenFolder, inside: string, outer: Ignored): void {
    const ignored = outer.with(folder, inside);
    for (const { name, kind } of folder.entries()) {
      const path = inside === "" ? name : `${inside}/${name}`;
      const isFolder = kind === "folder";
      if (this.#isHidden(path) || name === ".git" || ignored.has(path, isFolder)) continue;
      if (isFolder) folder.within(name, (child) => this.#through(child, path, ignored));
      else if (kind === "file" && this.#fits(path)) this.#look(folder, name, path);
    }
  }

  #look(folder: OpenFolder, name: string, path: string): void {
    const text = this.#textOf(folder, name, path);
    if (text === undefined) return;
    this.#files++;
    const hits = this.#pattern ? hitsIn(path, text, this.#pattern, this.#left) : [{ file: path }];
    if (hits.length > 0) this.#tell(hits);
    this.#left -= hits.length;
    if (this.#left <= 0) throw new Enough();
  }

  #textOf(folder: OpenFolder, name: string, path: string): string | undefined {
    const facts = folder.facts(name);
    if (facts?.kind !== "file" || !this.#isOpen(facts, path)) return undefined;
    if (!this.#pattern) return "";
    if (facts.size > MAX_BYTES) {
      this.#large.push(path);
      return undefined;
    }
    const fd = readable(folder, name);
    if (fd === undefined) return undefined;
    try {
      const bytes = readFileSync(fd);
      if (looksBinary(bytes)) return undefined;
      const text = bytes.toString("utf8");
      const isSettings = isSettingsName(path) && isInGit(path, () => folder.entries().map((entry) => entry.name));
      return isSettings ? withoutKeys(text) : text;
    } finally {
      closeSync(fd);
    }
  }
}

/** `undefined`: gone, or closed to us. */
function readable(folder: OpenFolder, name: string): number | undefined {
  try {
    return folder.openFile(name).fd;
  } catch {
    return undefined; // Nothing can be found in it.
  }
}

function compiled(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern); // Some patterns only work without the stricter "u" flag; an error here is reported.
  }
}

function hitsIn(file: string, text: string, pattern: RegExp, most: number): readonly Hit[] {
  const hits: Hit[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    const bare = line.endsWith("\r") ? line.slice(0, -1) : line;
    const found = pattern.exec(bare);
    if (!found) continue;
    hits.push({ file, line: at + 1, text: excerpt(bare, found.index) });
    if (hits.length >= most) break;
  }
  return hits;
}

function excerpt(line: string, at: number): string {
  if (line.length <= SHOWN_COLUMNS) return line;
  const from = Math.max(0, Math.min(at - SHOWN_COLUMNS / 4, line.length - SHOWN_COLUMNS));
  return `${from > 0 ? "…" : ""}${line.slice(from, from + SHOWN_COLUMNS)}${from + SHOWN_COLUMNS < line.length ? "…" : ""}`;
}
