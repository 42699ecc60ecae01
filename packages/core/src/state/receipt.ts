import type { Command } from "@colloquy/schema";
import { hash } from "./hash.ts";

/** The sender is stored beside it; what the sender was shown and what the shell found are not part of the command. */
const BESIDE = new Set(["by", "msgId", "shown", "from", "to"]);

/** The same command has the same hash over every transport; another one under the same `msgId` has a different one. */
export function commandHash(command: Command): string {
  const said = Object.entries(command).filter(([key, value]) => !BESIDE.has(key) && value !== undefined && value !== false);
  return hash(JSON.stringify(said.toSorted(([one], [other]) => (one < other ? -1 : 1))));
}
