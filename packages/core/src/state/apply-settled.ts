import type { TreeEventOf } from "@colloquy/schema";
import { settleUndo } from "./apply-undo.ts";
import type { Call, Tree } from "./tree.ts";

/** More than this many would be no list for people. The oldest ones leave it; the ledger has all. */
const MAX_UNSETTLED = 100;

/** Remembers a call that may have taken effect, unless that was in the tree that this one is a copy of. */
export function noteUnknown(tree: Tree, { call, dialog, agent, outcome, copied }: TreeEventOf<"call.ended">, { tool, kind }: Call): Tree {
  if (outcome !== "unknown" || kind !== "effects" || copied) return tree;
  return { ...tree, unsettled: [...tree.unsettled, { call, dialog, agent, tool, at: tree.at }].slice(-MAX_UNSETTLED) };
}

export function settle(tree: Tree, event: TreeEventOf<"call.settled">): Tree {
  const known = event.undo ? settleUndo(tree, event) : tree;
  return { ...known, unsettled: tree.unsettled.filter(({ call }) => call !== event.call) };
}
