import { fittingNames } from "@colloquy/core";
import { projectFiles } from "@colloquy/runtime";

/** Completion asks at every keystroke; within this time the folder is listed once. */
const KNOWN_MS = 10_000;
const WALK = new AbortController().signal;

/** The names of the project's files, for completion. */
export class ProjectFiles {
  readonly #dir: string;
  #walk: { readonly at: number; readonly names: Promise<readonly string[]> } | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  async fitting(typed: string, limit: number): Promise<readonly string[]> {
    return fittingNames(await this.#names(), typed, limit);
  }

  #names(): Promise<readonly string[]> {
    const now = performance.now();
    if (this.#walk && now - this.#walk.at < KNOWN_MS) return this.#walk.names;
    const names = projectFiles(this.#dir, WALK);
    this.#walk = { at: now, names };
    return names;
  }
}
