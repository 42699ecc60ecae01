import type { AgentId, CallId, DialogId, TreeEvent, TreeEventOf } from "@colloquy/schema";
import { repetition } from "./apply.ts";
import { accept, type Decision, refuse } from "./decision.ts";
import type { Texts } from "./texts.ts";
import { type Call, type Dialog, dialogOf, runOf, type Tree, type Turn, turnOf } from "./tree.ts";

export interface CallRef {
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly turn: number;
  readonly call: CallId;
}

export type CallResult = Pick<TreeEventOf<"call.ended">, "output" | "outcome" | "blob" | "ms">;

/** From here on the effect may have happened. */
export function decideCallStart(tree: Tree, ref: CallRef): Decision<TreeEvent> {
  const found = findCall(tree, ref);
  if (!found.ok) return found;
  if (found.dialog.stopped) return refuse("stopped", found.dialog.stopped.reason.message);
  if (found.dialog.status !== "running") return refuse("not_running", `The dialog is ${found.dialog.status}.`);
  return accept(tree.seq + 1, [{ type: "call.started", course: found.dialog.course, ...ref }]);
}

/** Always recorded, also while the dialog is stopped: the effect has happened. */
export function decideCallEnd(tree: Tree, ref: CallRef, result: CallResult, texts: Texts): Decision<TreeEvent> {
  const found = findCall(tree, ref);
  if (!found.ok) return found;
  const { dialog, turn, call } = found;
  const ended: TreeEvent = { type: "call.ended", course: dialog.course, ...ref, ...result };
  return accept(tree.seq + 1, [ended, ...againAndAgain(dialog, turn, call, ref, result, texts)]);
}

/** The same call with the same result: the third time draws a note, the fourth a halt. */
function againAndAgain(dialog: Dialog, turn: Turn, call: Call, ref: CallRef, result: CallResult, texts: Texts): TreeEvent[] {
  if (call.polls) return [];
  const times = (turn.repeats[repetition(call, result.output)] ?? 0) + 1;
  const here = { dialog: dialog.id, course: dialog.course };
  if (times === 3) {
    return [{ type: "note.added", ...here, agent: ref.agent, turn: turn.id, code: "repeated_call", text: texts.repeatedCall(call.tool) }];
  }
  if (times > 3 && !dialog.stopped) {
    return [{ type: "dialog.stopped", ...here, reason: { code: "repeated_call", message: texts.stoppedForRepetition(call.tool) } }];
  }
  return [];
}

type Found =
  | { readonly ok: true; readonly dialog: Dialog; readonly turn: Turn; readonly call: Call }
  | Extract<Decision<TreeEvent>, { ok: false }>;

function findCall(tree: Tree, ref: CallRef): Found {
  const dialog = dialogOf(tree, ref.dialog);
  const turn = turnOf(runOf(tree, ref.dialog, ref.agent), ref.turn);
  const call = turn?.calls.find((open) => open.id === ref.call);
  if (!dialog || !turn || !call) return refuse("call_not_open", `Call ${ref.call} has its result already.`);
  return { ok: true, dialog, turn, call };
}
