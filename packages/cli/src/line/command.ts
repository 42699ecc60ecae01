import type { ExitCode } from "./exit-code.ts";
import type { Said } from "./language.ts";
import type { Options, Values } from "./option.ts";
import type { ServerAddress } from "../access/server-address.ts";
import type { Shell } from "./shell.ts";

/** A parsed command: its options, its arguments and its environment. */
export interface Call<Table extends Options = Options> {
  readonly values: Values<Table>;
  readonly words: readonly string[];
  readonly shell: Shell;
  /** The working directory, or that of `-C`. */
  readonly dir: string;
  readonly json: boolean;
  /** The named server, if any. */
  readonly server: ServerAddress | undefined;
}

export interface Command<Table extends Options = Options> {
  /** Arguments: `DIALOG`, `[DIR]` if optional, `TEXT…` for one or more. */
  readonly words: readonly string[];
  readonly options: Table;
  /** What it does, in a few sentences. */
  readonly about: Said;
  readonly examples: readonly (readonly [command: string, what: Said | ""])[];
  run(call: Call<Table>): Promise<ExitCode>;
}

/** Infers the types of `run`'s options. */
export const defineCommand = <const Table extends Options>(command: Command<Table>): Command => command as unknown as Command;
