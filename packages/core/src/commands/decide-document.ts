import type { DialogCommand, TreeEvent } from "@colloquy/schema";
import { accept, type Decision, refuse } from "../state/decision.ts";
import type { CallRef } from "../step/step-decision.ts";
import { sectionPath } from "../tasks/taskdoc.ts";
import { dialogOf, runOf, type Tree, turnAt } from "../state/tree.ts";

/** A change that a call wants to make: from the current version of a document to a new one. */
export interface DocumentChange {
  readonly path: string;
  readonly from: string;
  readonly to: string;
  /** Undefined: it is removed. */
  readonly text: string | undefined;
}

/**
 * Compare and swap: a call may replace only the version that the agent was last shown. A change recorded before a crash is not recorded
 * again.
 */
export function decideDocument(tree: Tree, ref: CallRef, { text, ...change }: DocumentChange): Decision<TreeEvent> {
  if (tree.unwritten.some((one) => one.call === ref.call)) return accept(tree.seq, []);
  const shown = runOf(tree, ref.dialog, ref.agent)?.docs[change.path] ?? "";
  if (shown !== change.from || !turnAt(tree, ref)) return refuse("document_changed", `${change.path} has changed since it was shown.`);
  const course = dialogOf(tree, ref.dialog)?.course ?? 1;
  return {
    ...accept<TreeEvent>(tree.seq + 1, [
      { type: "document.changed", dialog: ref.dialog, course, agent: ref.agent, turn: ref.turn, call: ref.call, ...change },
    ]),
    // The call's input holds the text, so the event does not.
    ...(text !== undefined && { texts: new Map([[change.path, text]]) }),
  };
}

/** A person changes a section of the Taskdoc. */
export function decideChangeMind(tree: Tree, command: Extract<DialogCommand, { type: "change_mind" }>): Decision<TreeEvent> {
  const dialog = dialogOf(tree, command.dialog);
  if (!dialog) return refuse("not_found", `There is no dialog ${command.dialog}.`);
  if (dialog.side) return refuse("bad_request", "The Taskdoc belongs to the main dialog: change it there.");
  if (command.shown !== undefined && command.shown !== command.from) {
    return refuse("document_changed", `The ${command.selector} have changed since you saw them. Look again.`);
  }
  return accept(tree.seq + 1, [
    {
      type: "document.changed",
      dialog: dialog.id,
      course: dialog.course,
      path: sectionPath(dialog.taskDocPath, command.selector),
      from: command.from,
      to: command.to,
      content: command.content,
      by: command.by,
      ...(command.msgId !== undefined && { msgId: command.msgId }),
    },
  ]);
}
