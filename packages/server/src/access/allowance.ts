/** How often somebody may ask: a bucket that fills at a rate. */
export class Allowance {
  readonly #perSecond: number;
  readonly #most: number;
  readonly #now: () => number;
  #left: number;
  #at: number;

  constructor(perSecond: number, most: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#most = most;
    this.#now = now;
    this.#left = most;
    this.#at = now();
  }

  /** 0 when it is granted; otherwise how many milliseconds to wait. */
  take(): number {
    this.#fill();
    if (this.#left < 1) return ((1 - this.#left) / this.#perSecond) * 1_000;
    this.#left -= 1;
    return 0;
  }

  get hasAny(): boolean {
    this.#fill();
    return this.#left >= 1;
  }

  /** As if it had never been used. */
  get isFull(): boolean {
    this.#fill();
    return this.#left >= this.#most;
  }

  #fill(): void {
    const now = this.#now();
    this.#left = Math.min(this.#most, this.#left + ((now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
  }
}
