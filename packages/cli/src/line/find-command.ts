import { commandTable, notBuiltYet as laterCommands, similarCommand } from "./command-table.ts";
import type { Command } from "./command.ts";
import { notBuiltYet, wrongUsage } from "./failure.ts";

/** Loads a command's file; an unknown name is wrong usage. */
export async function commandNamed(name: string): Promise<Command> {
  const row = commandTable.find((one) => one.name === name || one.aliases?.includes(name));
  if (row) return row.load();
  if (laterCommands.includes(name)) throw notBuiltYet(name);
  const similar = similarCommand(name);
  throw wrongUsage(`There is no command "${name}".${similar ? ` Did you mean "${similar}"?` : ""} colloquy help lists them.`);
}
