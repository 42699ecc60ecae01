import type { CallId, TreeEventOf } from "@colloquy/schema";
import { type AppliedCall, appliedCall } from "./past-call.ts";
import type { Call, Tree } from "./tree.ts";

/** As many as a project keeps layers for: see LY15. */
const MAX_APPLIED = 50;

/** Records what can be undone: the changes that a call made on its layer are in the project, or its tool can undo it. */
export function canBeUndone(tree: Tree, event: TreeEventOf<"call.ended">, { tool, ran }: Call, stepSeq: number): Tree {
  const { dialog, agent, call, undoable } = event;
  if (!ran && !undoable) return tree;
  const touched = ran ?? { paths: [], more: 0, byTool: { from: stepSeq, to: tree.seq } };
  const applied: AppliedCall = { call, dialog, agent, tool, ...touched, undoBy: undefined, isUndone: false, refused: undefined };
  return { ...tree, applied: newest([...tree.applied, applied]) };
}

/** The newest of each kind: what a tool can undo takes no room on the disk, and must not push a command out. */
function newest(all: readonly AppliedCall[]): readonly AppliedCall[] {
  const isTool = all.at(-1)?.byTool !== undefined;
  const same = all.filter(({ byTool }) => (byTool !== undefined) === isTool);
  return same.length > MAX_APPLIED ? all.filter((one) => one !== same[0]) : all;
}

export const askUndo = (tree: Tree, event: TreeEventOf<"call.undo_asked">): Tree =>
  change(tree, event.call, { undoBy: event.by ?? "", refused: undefined });

export function endUndo(tree: Tree, { call, refused, conflicts = [], output }: TreeEventOf<"call.undone">): Tree {
  const ended = change(tree, call, {
    undoBy: undefined,
    isUndone: refused === undefined,
    refused: refused && { why: refused, conflicts },
    said: output,
  });
  const applied = appliedCall(tree, call);
  if (refused !== "unknown" || !applied) return ended;
  const { dialog, agent, tool } = applied;
  return { ...ended, unsettled: [...ended.unsettled, { call, dialog, agent, tool, at: tree.at, undo: true }] };
}

/** A person found out whether it was undone. */
export const settleUndo = (tree: Tree, { call, as }: TreeEventOf<"call.settled">): Tree =>
  change(tree, call, { isUndone: as === "done", refused: undefined });

const change = (tree: Tree, call: CallId, to: Partial<AppliedCall>): Tree => ({
  ...tree,
  applied: tree.applied.map((one) => (one.call === call ? { ...one, ...to } : one)),
});
