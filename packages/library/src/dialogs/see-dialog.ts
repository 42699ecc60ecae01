import { contextGauge, dialogView, sayingsIn } from "@colloquy/core";
import { activeMs, atWorkIn, type ProjectContext, readSayings } from "@colloquy/runtime";
import { type AgentId, type DialogAddress, type DialogId, type DialogView, Refused, runKey } from "@colloquy/schema";

/** A dialog's current state: its tree, who is working in it, and texts from the log that the tree does not hold. */
export async function seeDialog({ deps, rulebook, trees }: ProjectContext, { rootId, selfId }: DialogAddress): Promise<DialogView> {
  const { store, team } = deps;
  const seen = await trees.look(rootId, (tree) => {
    const work = atWorkIn(tree);
    const agents = tree.state.dialogs.get(selfId)?.agents ?? [];
    const works = new Map(
      agents.map((agent) => {
        const now = work(selfId, agent);
        return [agent, now && { ...now, activeMs: activeMs(tree.flights.get(runKey(selfId, agent)), deps.clock) }];
      }),
    );
    return { state: tree.state, isDriven: tree.flights.size > 0, atWork: (_: DialogId, agent: AgentId) => works.get(agent) };
  });
  const dialog = seen?.state.dialogs.get(selfId);
  if (!seen || !dialog) throw noDialog(selfId);
  const view = dialogView(seen.state, selfId, {
    isDriven: seen.isDriven,
    atWork: seen.atWork,
    sayings: await readSayings(store, rootId, sayingsIn(seen.state, dialog)),
    gauge: (run, agent) => contextGauge(run, rulebook.roster.windowOf(agent), team().context),
  });
  if (!view) throw noDialog(selfId);
  return view;
}

const noDialog = (id: string) => new Refused({ code: "not_found", message: `There is no dialog ${id}.` });
