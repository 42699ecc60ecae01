/** Handles Ctrl-C. While work is held, the first one closes it cleanly; otherwise, and the second time, the process ends at once. */
export class Interrupts {
  readonly #controller = new AbortController();
  readonly #end: () => void;
  #held = 0;

  constructor(end: () => void) {
    this.#end = end;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Returns a release function. */
  hold(): () => void {
    this.#held++;
    return () => void this.#held--;
  }

  interrupt(): void {
    if (this.#held === 0 || this.signal.aborted) this.#end();
    else this.#controller.abort(new Error("interrupted"));
  }
}
