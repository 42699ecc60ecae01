import { type BigIntStats, lstatSync } from "node:fs";

const MAX_FILES = 5_000;

/** Identifies a file with its content: a person's edit changes it. */
export const fileKey = (stat: BigIntStats): string => `${stat.ino}:${stat.birthtimeNs}:${stat.size}:${stat.mtimeNs}`;

/** The newest files that agents made since this process started, by `fileKey`. Deleting one loses nothing of a person's. */
class MadeByAgents {
  readonly #keys = new Set<string>();

  addFile(place: string): void {
    this.add(keysOf([place]));
  }

  add(keys: readonly string[]): void {
    for (const key of keys) {
      this.#keys.delete(key);
      this.#keys.add(key);
      const [oldest] = this.#keys;
      if (this.#keys.size > MAX_FILES && oldest !== undefined) this.#keys.delete(oldest);
    }
  }

  hasFile(place: string): boolean {
    const stat = statIfOpen(place);
    return stat !== undefined && this.#keys.has(fileKey(stat));
  }

  get keys(): ReadonlySet<string> {
    return this.#keys;
  }
}

/** The keys of the last files named, as many as are remembered. */
export const keysOf = (places: readonly string[]): readonly string[] =>
  places
    .slice(-MAX_FILES)
    .map(statIfOpen)
    .flatMap((stat) => (stat ? [fileKey(stat)] : []));

function statIfOpen(place: string): BigIntStats | undefined {
  try {
    return lstatSync(place, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // In a folder closed to us; a file that isn't remembered counts as a person's.
  }
}

export const madeByAgents = new MadeByAgents();
