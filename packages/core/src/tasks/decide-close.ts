import { type TaskChange, mainDialogOf, type TreeEvent } from "@colloquy/schema";
import { decide } from "../commands/decide.ts";
import { accept, type Decision } from "../state/decision.ts";
import type { Rules } from "../prompt/rules.ts";
import type { SignedCommand } from "../state/project-receipt.ts";
import type { Tree } from "../state/tree.ts";
import { decideTaskChange, type KnownTasks } from "./decide-task.ts";

/** A person's change to a task. `task`: its id as typed. */
export interface SignedTaskChange {
  readonly task: string;
  readonly change: TaskChange;
  readonly signed: SignedCommand;
}

/**
 * Closes a task together with its dialog, in one commit. The dialog's questions are withdrawn and its work ends, so task and dialog are
 * never closed separately.
 */
export function decideTaskClosing(tree: Tree, known: KnownTasks, closing: SignedTaskChange, rules: Rules): Decision<TreeEvent> {
  const { signed } = closing;
  const changed = decideTaskChange(known, closing.task, closing.change, signed);
  if (!changed.ok) return changed;
  if (changed.events.length === 0) return accept(tree.seq, []);
  const done = decide(tree, { type: "done", dialog: mainDialogOf(tree.rootId), by: signed.by }, rules);
  return done.ok ? { ...done, project: changed.events } : done;
}
