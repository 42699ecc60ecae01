import type { Command } from "@colloquy/schema";
import { hash } from "./hash.ts";

/** Who it is from is known beside it; what the sender had before its eyes, and what the shell found, is not what it says. */
const BESIDE = new Set(["by", "msgId", "shown", "from", "to"]);

/** The same command again has the same hash, by whatever road it comes; another one under the same `msgId` has not. */
export function commandHash(command: Command): string {
  const said = Object.entries(command).filter(([key, value]) => !BESIDE.has(key) && value !== undefined && value !== false);
  return hash(JSON.stringify(said.toSorted(([one], [other]) => (one < other ? -1 : 1))));
}
