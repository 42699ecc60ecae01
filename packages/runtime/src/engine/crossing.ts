/**
 * A shared/exclusive lock: many pass side by side, or one alone. A step that has crashed the process twice is driven alone, so that the
 * next crash shows its cause. A waiting exclusive step keeps newcomers out, so it gets its turn.
 */
export class Crossing {
  #inside = 0;
  #isAlone = false;
  readonly #waiting: { readonly alone: boolean; readonly go: () => void }[] = [];

  /** Resolves with a release function. */
  async enter(alone = false): Promise<() => void> {
    if (this.#waiting.length > 0 || !this.#isOpenFor(alone)) {
      await new Promise<void>((go) => this.#waiting.push({ alone, go }));
    } else this.#admit(alone);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#inside--;
      this.#isAlone = false;
      this.#next();
    };
  }

  #isOpenFor(alone: boolean): boolean {
    return !this.#isAlone && (!alone || this.#inside === 0);
  }

  #admit(alone: boolean): void {
    this.#inside++;
    this.#isAlone = alone;
  }

  #next(): void {
    for (let first = this.#waiting[0]; first && this.#isOpenFor(first.alone); first = this.#waiting[0]) {
      this.#waiting.shift();
      this.#admit(first.alone);
      first.go();
    }
  }
}
