import type { Engine } from "@colloquy/runtime";
import { type Command, Refused, type RootId } from "@colloquy/schema";
import type { Receipt } from "./signed.ts";

/** Who gives a command, and under which `msgId`. */
export interface Signature {
  readonly by: string;
  readonly msgId?: string;
}

/** What somebody wants, as a command to a tree. A "no" is thrown as `Refused`. */
export async function give(engine: Engine, rootId: RootId, command: Command): Promise<Receipt> {
  const outcome = await engine.command(rootId, command);
  if (!outcome.ok) throw new Refused(outcome.refusal);
  return { seq: outcome.seq };
}
