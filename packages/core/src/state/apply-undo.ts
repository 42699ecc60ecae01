import type { CallId, TreeEventOf } from "@colloquy/schema";
import type { AppliedCall } from "./past-call.ts";
import type { Call, Tree } from "./tree.ts";

/** As many as a project keeps layers for: see LY15. */
const MAX_APPLIED = 50;

/** Records that the changes a call made on its layer are now in the project. */
export function layerApplied(tree: Tree, { dialog, agent, call }: TreeEventOf<"call.ended">, { tool, ran }: Call): Tree {
  if (!ran) return tree;
  const applied: AppliedCall = { call, dialog, agent, tool, ...ran, undoBy: undefined, isUndone: false, refused: undefined };
  return { ...tree, applied: [...tree.applied, applied].slice(-MAX_APPLIED) };
}

export const askUndo = (tree: Tree, event: TreeEventOf<"call.undo_asked">): Tree =>
  change(tree, event.call, { undoBy: event.by ?? "", refused: undefined });

export const endUndo = (tree: Tree, { call, refused, conflicts = [] }: TreeEventOf<"call.undone">): Tree =>
  change(tree, call, { undoBy: undefined, isUndone: refused === undefined, refused: refused && { why: refused, conflicts } });

const change = (tree: Tree, call: CallId, to: Partial<AppliedCall>): Tree => ({
  ...tree,
  applied: tree.applied.map((one) => (one.call === call ? { ...one, ...to } : one)),
});
