/** A longer script is not read. Bodies of here-documents count. */
export const MAX_SCRIPT = 100_000;

/** Steps of work for one command. Reading a character is one, each time that it is read behind a wrapper or inside a substitution. */
export const MAX_STEPS = 250_000;
/** What judging costs, in steps. */
const COMMAND = 50;
const BRACES = 50;
const PROGRAM = 100;
const WORD = 8;
const PATH = 40;

/**
 * What reading one command may cost. Scripts nest, and words may be commands in many ways: without a bound, a short text could keep
 * the reader busy for hours. A command that costs more is not read to its end, and a person is asked about it.
 */
export class Effort {
  #spent = 0;
  #isExceeded = false;

  /** Some of the command was not read. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  /** Steps that were done; what was refused costs nothing. */
  get spent(): number {
    return this.#spent;
  }

  /** Pays for reading so many characters. Returns false if there is no budget left: then the work is not done. */
  pay(characters: number): boolean {
    const steps = characters + 1;
    if (this.#spent + steps > MAX_STEPS) this.#isExceeded = true;
    else this.#spent += steps;
    return !this.#isExceeded;
  }

  /** Pays for telling the words of a command apart. */
  payForCommand(words: number): boolean {
    return this.pay(words * WORD + COMMAND);
  }

  payForBraces(characters: number): boolean {
    return this.pay(characters + BRACES);
  }

  payForProgram(words: number, characters: number): boolean {
    return this.pay(characters + words * WORD + PROGRAM);
  }

  /** Pays for judging a path that a command writes. */
  payForPath(path: string): boolean {
    return this.pay(path.length + PATH);
  }

  /** Marks the command as not readable. */
  giveUp(): void {
    this.#isExceeded = true;
  }
}
