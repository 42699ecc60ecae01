import { PROJECT_STREAM, type RootId } from "@colloquy/schema";
import type { Committed } from "@colloquy/store";

const MAX_COMMITS = 8_000;
const MAX_TREES = 10_000;

/**
 * Commits not yet processed: the commits themselves while they are few, then the trees that changed, then only that there are
 * some. The log has the rest.
 */
export class Backlog {
  #commits: Committed[] = [];
  #trees = new Set<RootId>();
  #isIncomplete = false;

  get size(): number {
    return this.#isIncomplete ? Infinity : this.#commits.length + this.#trees.size;
  }

  add(committed: Committed): void {
    if (this.#isIncomplete) return;
    if (this.#commits.length < MAX_COMMITS && this.#trees.size === 0) {
      this.#commits.push(committed);
      return;
    }
    for (const { lines } of [...this.#commits, committed])
      for (const { stream } of lines) if (stream !== PROJECT_STREAM) this.#trees.add(stream);
    this.#commits = [];
    if (this.#trees.size > MAX_TREES) this.lookFrom();
  }

  /** Some commits since the saved position are not known here. */
  lookFrom(): void {
    this.clear();
    this.#isIncomplete = true;
  }

  take(): { readonly commits: readonly Committed[]; readonly trees: Set<RootId>; readonly isIncomplete: boolean } {
    const taken = { commits: this.#commits, trees: this.#trees, isIncomplete: this.#isIncomplete };
    this.clear();
    return taken;
  }

  clear(): void {
    [this.#commits, this.#trees, this.#isIncomplete] = [[], new Set(), false];
  }
}
