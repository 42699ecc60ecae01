import type { ExitCode } from "./exit-code.ts";
import type { Options, Values } from "./option.ts";
import type { ServerAddress } from "../access/server-address.ts";
import type { Shell } from "./shell.ts";

/** A command as it was typed: its options, its words and the world that it runs in. */
export interface Call<Table extends Options = Options> {
  readonly values: Values<Table>;
  readonly words: readonly string[];
  readonly shell: Shell;
  /** Where it was called, or what `-C` names. */
  readonly dir: string;
  readonly json: boolean;
  /** The server that was named, if one was. */
  readonly server: ServerAddress | undefined;
}

export interface Command<Table extends Options = Options> {
  /** Words behind the command: `DIALOG`, `[DIR]` where it may be left out, `TEXT…` for one or more. */
  readonly words: readonly string[];
  readonly options: Table;
  /** What it does, in a few sentences. */
  readonly about: string;
  readonly examples: readonly (readonly [command: string, what: string])[];
  run(call: Call<Table>): Promise<ExitCode>;
}

/** Gives `run` the types of its options. */
export const defineCommand = <const Table extends Options>(command: Command<Table>): Command => command as unknown as Command;
