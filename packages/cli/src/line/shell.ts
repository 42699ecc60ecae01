import type { Interrupts } from "../dialogs/interrupts.ts";
import type { LineInput } from "../terminal/line-input.ts";
import type { Screen } from "../terminal/screen.ts";

/** The process as commands see it. Tests pass their own. */
export interface Shell {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: Screen;
  readonly err: Screen;
  /** Whether a person can be asked. */
  readonly canAsk: boolean;
  readonly interrupts: Interrupts;
  readonly now: () => number;
  /** All of standard input. */
  read(): Promise<string>;
  /** Standard input line by line, as it is typed. */
  input(): LineInput;
}
