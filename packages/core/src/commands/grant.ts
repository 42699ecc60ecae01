import type { CallId, CallPart, DialogId, RootId, TreeEvent } from "@colloquy/schema";
import type { ProjectPlace } from "../classify/path.ts";
import { matches } from "../classify/pattern.ts";
import { conclude } from "../step/conclude.ts";
import type { Decision } from "../state/decision.ts";
import { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import type { ProjectGrant } from "../state/project.ts";
import { type Question, type Tree, turnAt } from "../state/tree.ts";

/** Where a call is made. */
interface GrantedPlace {
  readonly rootId: RootId;
  readonly dialog: DialogId;
  readonly place?: ProjectPlace | undefined;
  /** The tree is a what-if: only grants of its own count. */
  readonly holds?: boolean | undefined;
}

/** The grant that lets this call run without asking, if there is one. */
export const grantFor = (
  grants: readonly ProjectGrant[],
  { rootId, dialog, place, holds = false }: GrantedPlace,
  part: CallPart,
  nowMs: number,
): ProjectGrant | undefined =>
  grants.find(
    (grant) =>
      (grant.rootId === undefined ? !holds : grant.rootId === rootId) &&
      (grant.dialog === undefined || grant.dialog === dialog) &&
      (grant.until === undefined || grant.until > nowMs) &&
      matches(grant.pattern, part, place),
  );

/** The parts of calls that wait for approval, by call id. The tree itself keeps no inputs. */
export type HeldParts = ReadonlyMap<CallId, CallPart>;

/** Open approvals. They are few, even if the tree has had many questions. */
export const openApprovals = (tree: Tree): readonly (Question & { readonly call: CallId })[] =>
  [...tree.openQuestions.keys()].flatMap((id) => {
    const question = tree.questions.get(id);
    return question?.kind === "approval" && question.call !== undefined ? [{ ...question, call: question.call }] : [];
  });

/** Approves calls that match a grant, in the name of the person who gave it. */
export function approveGranted(draft: Draft, grants: readonly ProjectGrant[], parts: HeldParts, rules: Rules): void {
  const { rootId, copied } = draft.tree;
  for (const question of openApprovals(draft.tree)) {
    const { id, call, dialog, agent, turn } = question;
    const part = parts.get(call);
    const grant = part && grantFor(grants, { rootId, dialog, place: rules.place, holds: copied?.holds }, part, rules.at);
    if (!grant || turn === undefined || !turnAt(draft.tree, { dialog, agent, turn })) continue;
    draft.add({
      type: "question.closed",
      ...draft.here(dialog),
      agent,
      question: id,
      as: "answered",
      verdict: "approved",
      content: rules.texts.approvedByGrant(grant.pattern),
      byGrant: grant.id,
      by: grant.by,
    });
  }
}

/** Approves the open approvals of one tree that match a grant in force. Repeating it changes nothing. */
export function decideGranted(tree: Tree, grants: readonly ProjectGrant[], parts: HeldParts, rules: Rules): Decision<TreeEvent> {
  const draft = new Draft(tree, rules.at);
  approveGranted(draft, grants, parts, rules);
  conclude(draft, rules);
  return draft.decision(draft.events.length);
}
