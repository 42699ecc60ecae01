import type { Deps } from "@colloquy/runtime";
import { Fault, type RootId, shortId } from "@colloquy/schema";
import type { Look } from "./locate.ts";

/** For lists over many trees: leaves out an unreadable tree and reports it once per reason. */
export function lookPastDamage({ report }: Pick<Deps, "report">, look: Look): Look {
  const told = new Map<RootId, string>();
  return async (rootId, see) => {
    try {
      return await look(rootId, see);
    } catch (error) {
      // A closed or failed store can show no tree at all.
      if (error instanceof Fault && error.code === "log_unavailable") throw error;
      const why = error instanceof Error ? error.message : String(error);
      if (told.get(rootId) !== why) report(error, `dialog ${shortId(rootId)}`);
      told.set(rootId, why);
      return undefined;
    }
  };
}
