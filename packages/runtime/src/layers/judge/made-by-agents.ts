import { lstatSync } from "node:fs";

const MAX_FILES = 5_000;

/**
 * Files that agents' own tools made since this process began, the newest of them, by `ino:birthtime`. Removing one loses nothing of a
 * person's.
 */
class MadeByAgents {
  readonly #keys = new Set<string>();

  add(keys: Iterable<string>): void {
    for (const key of keys) {
      this.#keys.delete(key);
      this.#keys.add(key);
    }
    for (const key of this.#keys) {
      if (this.#keys.size <= MAX_FILES) break;
      this.#keys.delete(key);
    }
  }

  addFile(place: string): void {
    const stat = lstatSync(place, { bigint: true, throwIfNoEntry: false });
    if (stat) this.add([`${stat.ino}:${stat.birthtimeNs}`]);
  }

  get keys(): ReadonlySet<string> {
    return this.#keys;
  }
}

export const madeByAgents = new MadeByAgents();
