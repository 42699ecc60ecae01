/** A token bucket that limits how often somebody may ask. */
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

  /** Returns 0 if granted, else the milliseconds to wait. */
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

  /** True if the bucket is full again. */
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
