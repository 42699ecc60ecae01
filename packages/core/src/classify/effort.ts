/** Longer scripts are not parsed. Bodies of here-documents count. */
export const MAX_SCRIPT = 100_000;

/** The budget for one command, in steps. Reading a character costs one, each time it is read inside a wrapper or substitution. */
export const MAX_STEPS = 250_000;
/** Costs in steps. */
const COMMAND_STEPS = 50;
const BRACES_STEPS = 50;
const PROGRAM_STEPS = 100;
const WORD_STEPS = 8;
const PATH_STEPS = 40;

/**
 * A budget for parsing one command. Scripts nest, and words may be commands in many ways, so without a bound a short text could keep the
 * parser busy for hours. A command that exceeds the budget is not parsed completely, and a person is asked about it.
 */
export class Effort {
  #spent = 0;
  #isExceeded = false;

  /** Some of the command was not parsed. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  /** Steps taken. Refused work costs nothing. */
  get spent(): number {
    return this.#spent;
  }

  /** Pays for reading this many characters. Returns false if the budget is used up; the caller then skips the work. */
  pay(characters: number): boolean {
    const steps = characters + 1;
    if (this.#spent + steps > MAX_STEPS) this.#isExceeded = true;
    else this.#spent += steps;
    return !this.#isExceeded;
  }

  /** Pays for splitting a command into words. */
  payForCommand(words: number): boolean {
    return this.pay(words * WORD_STEPS + COMMAND_STEPS);
  }

  payForBraces(characters: number): boolean {
    return this.pay(characters + BRACES_STEPS);
  }

  payForProgram(words: number, characters: number): boolean {
    return this.pay(characters + words * WORD_STEPS + PROGRAM_STEPS);
  }

  /** Pays for judging a path that a command writes. */
  payForPath(path: string): boolean {
    return this.pay(path.length + PATH_STEPS);
  }

  /** Marks the command as not completely parsed. */
  giveUp(): void {
    this.#isExceeded = true;
  }
}
