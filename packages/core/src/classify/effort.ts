/** A longer script is not read. Bodies of here-documents count. */
export const MAX_SCRIPT = 100_000;

/** Characters that may be read for one command, each as often as it is read again behind a wrapper or inside a substitution. */
const MAX_READ = 400_000;
/** Judging a program costs as much as reading so many characters. */
const PROGRAM = 100;

/**
 * What reading one command may cost. Scripts nest, and words may be commands in many ways: without a bound, a short text could keep
 * the reader busy for hours. A command that costs more is not read to its end, and a person is asked about it.
 */
export class Effort {
  #left = MAX_READ;
  #isExceeded = false;

  /** Some of the command was not read. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  /** Pays for reading so many characters. Returns false if there is no budget left. */
  pay(characters: number): boolean {
    this.#left -= characters + 1;
    if (this.#left < 0) this.#isExceeded = true;
    return !this.#isExceeded;
  }

  payForProgram(characters: number): boolean {
    return this.pay(characters + PROGRAM);
  }

  /** Marks the command as not readable. */
  giveUp(): void {
    this.#isExceeded = true;
  }
}
