/**
 * Many pass side by side, or one alone. A step that has taken the process down twice is driven alone, so that the next
 * crash shows whose fault it is. A step that waits to be alone keeps newcomers out, so it gets its turn.
 */
export class Crossing {
  #inside = 0;
  #isAlone = false;
  readonly #waiting: { readonly alone: boolean; readonly go: () => void }[] = [];

  /** Resolves, when one may pass, with the way to leave. */
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
