/** The longest interval that timers take; what it rings for does not matter. */
const INTERVAL_MS = 2_147_483_647;

/**
 * Keeps the process alive while a program waits for people. A waiting tree has no timer and no open handle, so Node would end
 * the process although the program still awaits the answer.
 */
export class ProcessHold {
  #waits = 0;
  #timer: NodeJS.Timeout | undefined;
  #isReleased = false;

  async during<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.#waits += 1;
    if (!this.#isReleased) this.#timer ??= setInterval(() => undefined, INTERVAL_MS);
    try {
      return await wait();
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0) this.#stop();
    }
  }

  /** The project is closed: nothing that still waits will be answered here. */
  release(): void {
    this.#isReleased = true;
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
