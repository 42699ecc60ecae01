import { type CallPart, derivedId, type Form, isLastTool, type TreeEvent, type TreeEventOf } from "@colloquy/schema";
import { withdrawQuestion } from "../asks/ask.ts";
import { keptEffects } from "./call-effects.ts";
import { askApproval, type Card, giveNotice, type NoticeCard } from "../questions/card.ts";
import { accept, type Decision, refuse } from "../state/decision.ts";
import { Draft } from "../state/draft.ts";
import { conclude } from "./conclude.ts";
import type { CallRef } from "./step-decision.ts";
import { formCard } from "../questions/form.ts";
import { decideBuiltinCall } from "../builtin/decide-builtin-call.ts";
import type { Rules } from "../prompt/rules.ts";
import { carryOut } from "../builtin/last-calls.ts";
import { againAndAgain } from "../gate/repetition.ts";
import { type Call, type Dialog, dialogOf, type Tree, type Turn, turnAt } from "../state/tree.ts";

/** The result of a call on its layer. */
export type RanCall = Pick<TreeEventOf<"call.ran">, "output" | "blob" | "files" | "ms" | "effects">;

export type CallResult = Pick<TreeEventOf<"call.ended">, "output" | "outcome" | "blob" | "files" | "ms" | "docs" | "undoable">;

/** True if the call may start now. */
export const mayBegin = (tree: Tree, ref: CallRef): boolean => findRunnable(tree, ref).ok;

/** From here on the effect may have happened. */
export function decideCallStart(tree: Tree, ref: CallRef, isStaged = false): Decision<TreeEvent> {
  const found = findRunnable(tree, ref);
  if (!found.ok) return found;
  return accept(tree.seq + 1, [{ type: "call.started", course: found.dialog.course, ...ref, ...(isStaged && { staged: true }) }]);
}

/** A call that has run on its layer, with the approval to ask for or the notice to give. */
export interface StagedRun {
  readonly ran: RanCall;
  readonly approval?: Card | undefined;
  readonly notice?: NoticeCard | undefined;
}

/** Recorded even while the dialog is stopped, because the call has run. Its layer is applied when the dialog continues. */
export function decideCallRan(tree: Tree, ref: CallRef, { ran, approval, notice }: StagedRun, rules: Rules): Decision<TreeEvent> {
  const found = findCall(tree, ref);
  if (!found.ok) return found;
  const draft = new Draft(tree, rules.at);
  draft.add({ type: "call.ran", course: found.dialog.course, ...ref, ...ran, effects: keptEffects(ran.effects) });
  // It gets a notification of its own. People may be looking at the step's, and a decision on that one must not include this call.
  if (approval) askApproval(draft, ref, derivedId(ref.call, tree.seq), approval);
  else if (notice) giveNotice(draft, ref, notice);
  conclude(draft, rules);
  return draft.decision();
}

/** A tool asks a person during its call. The call and its turn wait for the answer. */
export function decideToolQuestion(
  tree: Tree,
  ref: CallRef,
  { message, ...form }: Form & { readonly message: string },
  rules: Rules,
): Decision<TreeEvent> {
  const found = findRunnable(tree, ref);
  if (!found.ok) return found;
  const { call } = found;
  const id = derivedId(call.id, tree.seq);
  const draft = new Draft(tree, rules.at);
  draft.ask(ref, {
    id,
    notification: id,
    kind: "question",
    call: call.id,
    ...formCard(call.tool, { message, ...form }, rules.texts),
    source: "dialog",
    sourceId: ref.dialog,
    form,
  });
  return draft.decision();
}

/** The end of a call. `question`: the id of the question asked if the agent keeps repeating the call. */
export interface CallEnd {
  readonly result: CallResult;
  readonly question: string;
}

/** Always recorded, even while the dialog is stopped: the effect has happened. */
export function decideCallEnd(tree: Tree, ref: CallRef, { result, question }: CallEnd, rules: Rules): Decision<TreeEvent> {
  const found = findCall(tree, ref);
  if (!found.ok) return turnAt(tree, ref) ? found : lateEnd(tree, ref, result, found);
  const { dialog, call } = found;
  const draft = new Draft(tree, rules.at);
  const asked = call.held === undefined ? undefined : tree.questions.get(call.held);
  if (asked?.fields) withdrawQuestion(draft, asked, rules.texts.toolAsksNoMore(call.tool));
  draft.add({ type: "call.ended", course: dialog.course, ...ref, ...result });
  againAndAgain({ draft, ref, rules, newId: () => question }, call, result.output);
  conclude(draft, rules);
  return draft.decision();
}

/** Ends a call that was approved but had no effect. The person who approved it is told as well as the agent. */
export function decideApprovedInVain(
  tree: Tree,
  ref: CallRef,
  { result, notice, question }: CallEnd & { readonly notice: NoticeCard },
  rules: Rules,
): Decision<TreeEvent> {
  const found = findCall(tree, ref);
  if (!found.ok) return found;
  const draft = new Draft(tree, rules.at);
  giveNotice(draft, ref, notice, 2);
  draft.add({ type: "call.ended", course: found.dialog.course, ...ref, ...result });
  againAndAgain({ draft, ref, rules, newId: () => question }, found.call, result.output);
  conclude(draft, rules);
  return draft.decision();
}

/** The turn was given up while its call ran. The result is recorded unless it only says that the call was aborted, which is known. */
function lateEnd(tree: Tree, ref: CallRef, result: CallResult, found: Decision<TreeEvent>): Decision<TreeEvent> {
  const dialog = dialogOf(tree, ref.dialog);
  if (!dialog || result.outcome === "unknown" || result.outcome === "refused") return found;
  return accept(tree.seq + 1, [{ type: "call.ended", course: dialog.course, ...ref, ...result, late: true }]);
}

/** If a person changed the call before approving it, its result says so. */
const tellOfChange = (event: TreeEvent, { call, input }: CallPart, { texts }: Rules): TreeEvent =>
  event.type === "call.ended" && event.call === call
    ? { ...event, output: `${texts.approvedWithChanges}${JSON.stringify(input)}\n${event.output}` }
    : event;

/** Decides a built-in call that a limit or an approval held back, after a person released it. */
export function decideHeldCall(tree: Tree, ref: CallRef, part: CallPart, rules: Rules): Decision<TreeEvent> {
  const found = findRunnable(tree, ref);
  if (!found.ok) return found;
  const draft = new Draft(tree, rules.at);
  decideBuiltinCall({ draft, ref, rules, notification: part.call }, part);
  if (isLastTool(part.tool)) carryOut(draft, ref, rules);
  conclude(draft, rules);
  const told = found.call.isChanged ? draft.events.map((event) => tellOfChange(event, part, rules)) : draft.events;
  return accept(tree.seq + 1, told, draft.project);
}

type CallTarget =
  | { readonly ok: true; readonly dialog: Dialog; readonly turn: Turn; readonly call: Call }
  | Extract<Decision<TreeEvent>, { ok: false }>;

function findCall(tree: Tree, ref: CallRef): CallTarget {
  const dialog = dialogOf(tree, ref.dialog);
  const turn = turnAt(tree, ref);
  const call = turn?.calls.find((open) => open.id === ref.call);
  if (!dialog || !turn || !call) return refuse("call_not_open", `Call ${ref.call} already has its result.`);
  return { ok: true, dialog, turn, call };
}

/** Finds a call that may run: its dialog is not stopped, and the call waits for no person. */
function findRunnable(tree: Tree, ref: CallRef): CallTarget {
  const found = findCall(tree, ref);
  if (!found.ok) return found;
  const { dialog, call } = found;
  if (dialog.stopped) return refuse("stopped", dialog.stopped.reason.message);
  if (dialog.status !== "running") return refuse("not_running", `The dialog is ${dialog.status}.`);
  if (call.held !== undefined) return refuse("call_not_open", `Call ${ref.call} waits for a person.`);
  return found;
}
