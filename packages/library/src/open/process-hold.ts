/** The longest interval that timers accept; its callback does nothing. */
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

  /** Call when the project closes: pending waits will not be answered in this process. */
  release(): void {
    this.#isReleased = true;
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
