/** At most one run per key; a wake during a run causes exactly one more run after it. `run` handles its own failures. */
export class Coordinator {
  readonly #run: (key: string) => Promise<void>;
  /** Present: running. True: woken again meanwhile. */
  readonly #wokenAgain = new Map<string, boolean>();
  #isClosed = false;
  #idle: (() => void)[] = [];

  constructor(run: (key: string) => Promise<void>) {
    this.#run = run;
  }

  wake(key: string): void {
    if (this.#isClosed) return;
    if (this.#wokenAgain.has(key)) this.#wokenAgain.set(key, true);
    else void this.#runUntilQuiet(key);
  }

  isRunning(key: string): boolean {
    return this.#wokenAgain.has(key);
  }

  /** Starts no new runs; resolves when the running ones have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#wokenAgain.size > 0) await new Promise<void>((go) => this.#idle.push(go));
  }

  async #runUntilQuiet(key: string): Promise<void> {
    do {
      this.#wokenAgain.set(key, false);
      await this.#run(key);
    } while (this.#wokenAgain.get(key) && !this.#isClosed);
    this.#wokenAgain.delete(key);
    if (this.#wokenAgain.size > 0) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const go of idle) go();
  }
}
