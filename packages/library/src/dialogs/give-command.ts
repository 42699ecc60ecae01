import type { Commands } from "@colloquy/runtime";
import { type Command, Refused, type RootId } from "@colloquy/schema";
import type { Receipt } from "./signed.ts";

/** Who gives a command, and under which `msgId`. */
export interface Signature {
  readonly by: string;
  readonly msgId?: string;
}

/** Gives a person's command to a tree. A refusal is thrown as `Refused`. */
export async function give(commands: Commands, rootId: RootId, command: Command): Promise<Receipt> {
  const outcome = await commands.give(rootId, command);
  if (!outcome.ok) throw new Refused(outcome.refusal);
  return { seq: outcome.seq };
}
