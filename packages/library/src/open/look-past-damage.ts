import type { Engine } from "@colloquy/runtime";
import { Fault, type RootId, shortId } from "@colloquy/schema";
import type { Look } from "./locate.ts";

/** For lists over many trees: a tree that cannot be read is left out, and reported once for each reason. The others are shown as ever. */
export function lookPastDamage(engine: Engine, look: Look): Look {
  const told = new Map<RootId, string>();
  return async (rootId, see) => {
    try {
      return await look(rootId, see);
    } catch (error) {
      // A store that is closed or has failed has nothing to show of any tree.
      if (error instanceof Fault && error.code === "log_unavailable") throw error;
      const why = error instanceof Error ? error.message : String(error);
      if (told.get(rootId) !== why) engine.deps.report(error, `dialog ${shortId(rootId)}`);
      told.set(rootId, why);
      return undefined;
    }
  };
}
