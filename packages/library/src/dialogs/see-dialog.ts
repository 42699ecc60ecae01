import { contextGauge, runKey, sayingsIn } from "@colloquy/core";
import { activeMs, atWorkIn, type Engine, readSayings } from "@colloquy/runtime";
import { type AgentId, type DialogId, type DialogView, Refused } from "@colloquy/schema";
import { dialogView } from "./dialog-view.ts";
import type { DialogAddress } from "../open/dialog-address.ts";

/** A dialog as it stands now: by its tree, by who is at work in it, and by the words in the log that the tree does not hold. */
export async function seeDialog(engine: Engine, { rootId, selfId }: DialogAddress): Promise<DialogView> {
  const { store, team } = engine.deps;
  const seen = await engine.look(rootId, (tree) => {
    const work = atWorkIn(tree);
    const agents = tree.state.dialogs.get(selfId)?.agents ?? [];
    const works = new Map(
      agents.map((agent) => {
        const now = work(selfId, agent);
        return [agent, now && { ...now, activeMs: activeMs(tree.flights.get(runKey(selfId, agent)), engine.deps.clock) }];
      }),
    );
    return { state: tree.state, isDriven: tree.flights.size > 0, atWork: (_: DialogId, agent: AgentId) => works.get(agent) };
  });
  const dialog = seen?.state.dialogs.get(selfId);
  const sayings = seen && dialog ? await readSayings(store, rootId, sayingsIn(seen.state, dialog)) : new Map();
  const view =
    seen &&
    dialogView(seen.state, selfId, seen.isDriven, seen.atWork, sayings, (run, agent) =>
      contextGauge(run, engine.roster.windowOf(agent), team().context),
    );
  if (!view) throw new Refused({ code: "not_found", message: `There is no dialog ${selfId}.` });
  return view;
}
