import {
  type ActClass,
  type CallId,
  type CallPart,
  derivedId,
  type Form,
  isLastTool,
  type TreeEvent,
  type TreeEventOf,
} from "@colloquy/schema";
import { withdrawQuestion } from "../asks/ask.ts";
import { keptEffects } from "./call-effects.ts";
import { askApproval, type Card, giveNotice } from "../questions/card.ts";
import { accept, type Decision, refuse } from "../state/decision.ts";
import { Draft } from "../state/draft.ts";
import { conclude } from "./conclude.ts";
import { formCard } from "../questions/form.ts";
import { decideHouseCall } from "../builtin/decide-builtin-call.ts";
import type { Rules } from "../prompt/rules.ts";
import { carryOut } from "../builtin/last-calls.ts";
import { againAndAgain } from "../gate/repetition.ts";
import { type Call, type Dialog, dialogOf, type Tree, type Turn, turnAt, type TurnRef } from "../state/tree.ts";

export interface CallRef extends TurnRef {
  readonly call: CallId;
}

/** The outcome of a call on its layer. */
export type RanCall = Pick<TreeEventOf<"call.ran">, "output" | "blob" | "files" | "ms" | "effects">;

export type CallResult = Pick<TreeEventOf<"call.ended">, "output" | "outcome" | "blob" | "files" | "ms" | "docs">;

/** True if the call may have started, even if its start was never logged. */
export const mayBegin = (tree: Tree, ref: CallRef): boolean => findRunnable(tree, ref).ok;

/** From here on the effect may have happened. */
export function decideCallStart(tree: Tree, ref: CallRef, isStaged = false): Decision<TreeEvent> {
  const found = findRunnable(tree, ref);
  if (!found.ok) return found;
  return accept(tree.seq + 1, [{ type: "call.started", course: found.dialog.course, ...ref, ...(isStaged && { staged: true }) }]);
}

/** What people are to decide or be told about a call that has run on its layer. */
export interface Judgement {
  readonly approval?: Card | undefined;
  readonly notice?: (Card & { readonly class: ActClass }) | undefined;
}

/** Recorded even while the dialog is stopped: it has run. Its layer is applied once the dialog continues. */
export function decideCallRan(tree: Tree, ref: CallRef, ran: RanCall, { approval, notice }: Judgement, rules: Rules): Decision<TreeEvent> {
  const found = findCall(tree, ref);
  if (!found.ok) return found;
  const draft = new Draft(tree, rules.at);
  draft.add({ type: "call.ran", course: found.dialog.course, ...ref, ...ran, effects: keptEffects(ran.effects) });
  if (approval) askApproval(draft, ref, ref.call, approval);
  else if (notice) giveNotice(draft, ref, notice);
  conclude(draft, rules);
  return draft.decision();
}

/** A tool asks a person while its call is open. The call waits for the answer, and the turn with it. */
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
    ...formCard(call.tool, message, form.fields, form.url, rules.texts),
    source: "dialog",
    sourceId: ref.dialog,
    form,
  });
  return draft.decision();
}

/** Always recorded, even while the dialog is stopped: the effect has happened. */
export function decideCallEnd(tree: Tree, ref: CallRef, result: CallResult, newId: string, rules: Rules): Decision<TreeEvent> {
  const found = findCall(tree, ref);
  if (!found.ok) return turnAt(tree, ref) ? found : lateEnd(tree, ref, result, found);
  const { dialog, call } = found;
  const draft = new Draft(tree, rules.at);
  const asked = call.held === undefined ? undefined : tree.questions.get(call.held);
  if (asked?.fields) withdrawQuestion(draft, asked, rules.texts.toolAsksNoMore(call.tool));
  draft.add({ type: "call.ended", course: dialog.course, ...ref, ...result });
  againAndAgain(draft, ref, call, result.output, () => newId, rules);
  conclude(draft, rules);
  return draft.decision();
}

/** Its turn was given up while it ran: its result is still recorded. "It was aborted" would say nothing new. */
function lateEnd(tree: Tree, ref: CallRef, result: CallResult, found: Decision<TreeEvent>): Decision<TreeEvent> {
  const dialog = dialogOf(tree, ref.dialog);
  if (!dialog || result.outcome === "unknown" || result.outcome === "refused") return found;
  return accept(tree.seq + 1, [{ type: "call.ended", course: dialog.course, ...ref, ...result, late: true }]);
}

/** A person changed the call before approving it: its result says so. */
const tellOfChange = (event: TreeEvent, { call, input }: CallPart, { texts }: Rules): TreeEvent =>
  event.type === "call.ended" && event.call === call
    ? { ...event, output: `${texts.approvedWithChanges}${JSON.stringify(input)}\n${event.output}` }
    : event;

/** A built-in call that was held by a limit or for approval, once a person has released it. */
export function decideHeldCall(tree: Tree, ref: CallRef, part: CallPart, rules: Rules): Decision<TreeEvent> {
  const found = findRunnable(tree, ref);
  if (!found.ok) return found;
  const draft = new Draft(tree, rules.at);
  decideHouseCall(draft, ref, part, part.call, rules);
  if (isLastTool(part.tool)) carryOut(draft, ref, part.call, rules);
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
  if (!dialog || !turn || !call) return refuse("call_not_open", `Call ${ref.call} has its result already.`);
  return { ok: true, dialog, turn, call };
}

/** Nothing is started in a stopped dialog, nor while the call waits for a person. */
function findRunnable(tree: Tree, ref: CallRef): CallTarget {
  const found = findCall(tree, ref);
  if (!found.ok) return found;
  const { dialog, call } = found;
  if (dialog.stopped) return refuse("stopped", dialog.stopped.reason.message);
  if (dialog.status !== "running") return refuse("not_running", `The dialog is ${dialog.status}.`);
  if (call.held !== undefined) return refuse("call_not_open", `Call ${ref.call} waits for a person.`);
  return found;
}
