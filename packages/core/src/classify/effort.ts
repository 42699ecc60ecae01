/** A longer script is not parsed. Bodies of here-documents count. */
export const MAX_SCRIPT = 100_000;

/** Steps of work for one command. Reading a character is one, each time it is read behind a wrapper or inside a substitution. */
export const MAX_STEPS = 250_000;
/** The cost of judging, in steps. */
const COMMAND = 50;
const BRACES = 50;
const PROGRAM = 100;
const WORD = 8;
const PATH = 40;

/**
 * A budget for parsing one command. Scripts nest, and words may be commands in many ways: without a bound, a short text could keep the
 * parser busy for hours. A command that exceeds it is not parsed completely, and a person is asked about it.
 */
export class Effort {
  #spent = 0;
  #isExceeded = false;

  /** Some of the command was not parsed. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  /** Steps done; refused work costs nothing. */
  get spent(): number {
    return this.#spent;
  }

  /** Pays for reading this many characters. Returns false if the budget is used up: then the work is not done. */
  pay(characters: number): boolean {
    const steps = characters + 1;
    if (this.#spent + steps > MAX_STEPS) this.#isExceeded = true;
    else this.#spent += steps;
    return !this.#isExceeded;
  }

  /** Pays for splitting a command into words. */
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

  /** Marks the command as unreadable. */
  giveUp(): void {
    this.#isExceeded = true;
  }
}
