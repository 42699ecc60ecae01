import type { Command } from "@colloquy/schema";
import { hash } from "./hash.ts";

/** The sender is stored separately. What the sender was shown and what the shell looked up are not part of the command. */
const BESIDE = new Set(["by", "msgId", "shown", "from", "to", "trace", "proof"]);

/** A command has the same hash over every transport, so a different command under the same `msgId` is recognised. */
export function commandHash(command: Command): string {
  const said = Object.entries(command).filter(([key, value]) => !BESIDE.has(key) && value !== undefined && value !== false);
  return hash(JSON.stringify(said.toSorted(([one], [other]) => (one < other ? -1 : 1))));
}
