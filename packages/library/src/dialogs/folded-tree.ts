import { delegationSayings, readersSnapshot } from "@colloquy/core";
import { type ProjectContext, readSayings } from "@colloquy/runtime";
import { type AgentId, type DialogAddress, type DialogSnapshot, Refused } from "@colloquy/schema";

export type FoldedTree = Omit<DialogSnapshot, "events" | "next">;

/** A tree for readers who continue folding from it and show its dialogs without further requests. */
export async function foldedTree({ deps, rulebook, trees }: ProjectContext, dialog: DialogAddress): Promise<FoldedTree> {
  const { rootId, selfId } = dialog;
  const seen = await trees.look(rootId, ({ state, flights }) => ({ tree: state, isDriven: flights.size > 0 }));
  const tree = seen?.tree;
  if (!tree?.dialogs.has(selfId)) throw new Refused({ code: "not_found", message: `There is no dialog ${selfId}.` });
  const words = [...tree.dialogs.values()].flatMap((one) => delegationSayings(tree, one));
  const team = deps.team();
  const { soft, hard } = team.context;
  return {
    dialog,
    ...readersSnapshot(tree),
    isDriven: seen?.isDriven ?? false,
    sayings: [...(await readSayings(deps.store, rootId, words))],
    context: { soft, hard, windows: windowsOf(team.members(), (agent) => rulebook.roster.windowOf(agent)) },
  };
}

const windowsOf = (members: readonly { readonly id: string }[], windowOf: (agent: AgentId) => number | undefined): Record<string, number> =>
  Object.fromEntries(
    members.flatMap(({ id }) => {
      const window = windowOf(id as AgentId);
      return window === undefined ? [] : [[id, window]];
    }),
  );
