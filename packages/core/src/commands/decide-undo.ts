import type { CallId, DialogCommand, Refusal, TreeEvent, UndoConflict } from "@colloquy/schema";
import { accept, type Decision, refuse } from "../state/decision.ts";
import { Draft } from "../state/draft.ts";
import { type AppliedCall, appliedCall, isBeingUndone } from "../state/past-call.ts";
import { dialogOf, type Tree } from "../state/tree.ts";

/** The log keeps no more conflicts than this. */
const MAX_CONFLICTS = 50;

/** The result of undoing a layer. */
export interface UndoResult {
  readonly conflicts: readonly UndoConflict[];
  readonly notes: readonly string[];
  readonly isGone?: true | undefined;
  /** A tool's `undo` says what it did; it failed, or nobody knows how it ended. */
  readonly output?: string | undefined;
  readonly ended?: "failed" | "unknown" | undefined;
}

/** Records that a person wants a command undone, before anything changes. While the undo is in progress, repetitions record nothing. */
export function decideUndo(tree: Tree, command: Extract<DialogCommand, { type: "undo" }>, at: number): Decision<TreeEvent> {
  const { call, dialog, by, msgId } = command;
  const applied = appliedCall(tree, call);
  if (!applied || applied.dialog !== dialog) return refuse("not_undoable", NOT_APPLIED);
  if (applied.isUndone)
    return refuse(
      "not_undoable",
      applied.byTool
        ? "This call was already undone."
        : "This command was already undone. To get its changes back, ask the agent to run it again.",
    );
  if (tree.unsettled.some((one) => one.call === call && one.undo)) return refuse("not_undoable", UNKNOWN);
  if (isBeingUndone(applied)) return accept(tree.seq, []);
  const draft = new Draft(tree, at, command);
  draft.add({ type: "call.undo_asked", ...draft.here(dialog), agent: applied.agent, call, by, ...(msgId !== undefined && { msgId }) });
  return draft.decision();
}

const UNKNOWN =
  "Nobody knows whether this call was undone: the process ended meanwhile, or it took too long. Look, then: colloquy effects settle CALL done|failed";

const NOT_APPLIED =
  "There is nothing to undo: no command with this id changed files on a layer in this dialog, or it is no longer among the last 50.";

/** Records the result: undone, or refused with its conflicts. */
export function decideUndone(tree: Tree, call: CallId, { conflicts, notes, isGone, output, ended }: UndoResult): Decision<TreeEvent> {
  const applied = appliedCall(tree, call);
  const dialog = applied && dialogOf(tree, applied.dialog);
  if (!applied || !dialog || !isBeingUndone(applied)) return accept(tree.seq, []);
  const { agent, tool, paths, more, undoBy } = applied;
  const refused = ended ?? (isGone ? "gone" : conflicts.length > 0 ? "conflict" : undefined);
  return accept(tree.seq + 1, [
    {
      type: "call.undone",
      dialog: dialog.id,
      course: dialog.course,
      agent,
      call,
      tool,
      ...(undoBy !== "" && undoBy !== undefined && { by: undoBy }),
      paths: [...paths],
      more,
      ...(notes.length > 0 && { notes: [...notes] }),
      ...(output !== undefined && { output }),
      ...(refused && { refused }),
      ...(conflicts.length > 0 && { conflicts: conflicts.slice(0, MAX_CONFLICTS) }),
    },
  ]);
}

/** Why a command was not undone, and what a person can do about it. */
export function undoRefusal({ refused, byTool, tool, said }: AppliedCall): Refusal | undefined {
  if (!refused) return undefined;
  if (refused.why === "unknown") return { code: "not_undoable", message: UNKNOWN };
  if (refused.why === "failed") return { code: "not_undoable", message: `Nothing was undone. ${tool} says: ${said ?? ""}` };
  if (refused.why === "gone" && byTool)
    return { code: "not_undoable", message: `Nothing was undone: the tool ${tool} is not here, or it can no longer undo calls.` };
  if (refused.why === "gone") return { code: "not_undoable", message: GONE };
  const later = [...new Set(refused.conflicts.flatMap(({ call }) => (call === undefined ? [] : [call])))];
  const lines = refused.conflicts.map(
    ({ path, call }) => `  ${path}: changed since${call === undefined ? "" : ` by a later command, ${call}`}`,
  );
  const [first] = later;
  const next =
    first === undefined
      ? "Put these files back as the command left them, or restore what you need by hand."
      : `Undo the later command first: colloquy undo ${first}`;
  return { code: "undo_conflict", message: ["Nothing was undone. These files changed since the command ran:", ...lines, next].join("\n") };
}

const GONE =
  "Nothing was undone: what this command replaced is no longer kept. The newest 256 MB of at most 50 commands are. Restore the files from git or by hand.";
