import { type TaskChange, mainDialogOf, type TreeEvent } from "@colloquy/schema";
import { decide } from "../commands/decide.ts";
import { accept, type Decision } from "../state/decision.ts";
import type { Rules } from "../prompt/rules.ts";
import type { SignedCommand } from "../state/project-receipt.ts";
import type { Tree } from "../state/tree.ts";
import { decideTaskChange, type KnownTasks } from "./decide-task.ts";

/**
 * A person closes a task that has a dialog: the dialog is closed with it, in one commit. Its questions are withdrawn and its work ends, so
 * there is no moment at which only one of the two is over.
 */
export function decideTaskClosing(
  tree: Tree,
  known: KnownTasks,
  typed: string,
  change: TaskChange,
  signed: SignedCommand,
  rules: Rules,
): Decision<TreeEvent> {
  const closing = decideTaskChange(known, typed, change, signed);
  if (!closing.ok) return closing;
  if (closing.events.length === 0) return accept(tree.seq, []);
  const done = decide(tree, { type: "done", dialog: mainDialogOf(tree.rootId), by: signed.by }, rules);
  return done.ok ? { ...done, project: closing.events } : done;
}
