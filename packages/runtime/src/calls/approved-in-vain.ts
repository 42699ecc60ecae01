import { type Call, type CallRef, type CallResult, decideApprovedInVain, decideCallEnd } from "@colloquy/core";
import type { LiveTree } from "../engine/live-tree.ts";
import type { RunContext } from "../engine/run-context.ts";

/** An approval is named by its call. */
export function approvalOf({ state }: LiveTree, call: Call) {
  const question = state.questions.get(call.id);
  return question?.kind === "approval" && question.status === "answered" ? question : undefined;
}

interface RefusedCall {
  readonly context: RunContext;
  readonly at: CallRef;
  readonly call: Call;
}

/** Ends a call that has no effect, with the reason. If a person approved it, that person gets a notice: nobody else would notice. */
export async function endRefused({ context, at, call }: RefusedCall, result: CallResult, why: string): Promise<void> {
  const rules = context.rulebook.rules();
  const approval = approvalOf(context.tree, call);
  const question = context.deps.newId();
  await context.record((state) => {
    if (!approval) return decideCallEnd(state, at, { result, question }, rules);
    const headline = rules.texts.approvedInVain(approval.closed?.by ?? "", approval.headline, firstLine(why));
    const notice = { headline, text: why, class: approval.classes[0] ?? "destructive" };
    return decideApprovedInVain(state, at, { result, notice, question }, rules);
  });
}

const MAX_CHARACTERS = 300;
const firstLine = (text: string): string => (text.split("\n")[0] ?? "").slice(0, MAX_CHARACTERS);
