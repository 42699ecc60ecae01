/** A long job lets other work run this often: a fraction of what a person notices. */
const BREATH_MS = 6;

/** Lets other work run in between, whenever a job has run for some milliseconds. */
export class Breath {
  #sinceMs = performance.now();

  async pause(): Promise<void> {
    if (performance.now() - this.#sinceMs < BREATH_MS) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#sinceMs = performance.now();
  }
}
