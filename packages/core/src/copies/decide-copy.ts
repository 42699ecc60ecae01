import { mainDialogOf, type RootId, type TreeEvent } from "@colloquy/schema";
import { mayHaveBegun, withdrawQuestion } from "../asks/ask.ts";
import type { Rules } from "../prompt/rules.ts";
import { Draft } from "../state/draft.ts";
import { hash } from "../state/hash.ts";
import { isBeingUndone } from "../state/past-call.ts";
import type { CreationDecision, Project } from "../state/project.ts";
import { receiptOf, repeatedCommand, type SignedCommand } from "../state/project-receipt.ts";
import { type Call, mainDialog, type Tree, turnAt, turnsOf } from "../state/tree.ts";
import { conclude } from "../step/conclude.ts";

/** A copy of a tree: of one in this project up to its event `at`, or of one from a file. */
export interface Copying extends SignedCommand {
  readonly as: "fork" | "import";
  readonly from: RootId;
  readonly at: number;
  /** Its calls with effects wait for approval, and it is not stopped. */
  readonly holds?: boolean | undefined;
  /** What makes this copy another one than others of the same tree: the answer that it is given. */
  readonly wish?: string | undefined;
}

/** A document that the copy gets for itself. */
export interface CopiedDocument {
  readonly path: string;
  readonly hash: string;
  readonly text: string;
}

/** The project's side: a sender that repeats its command gets the copy it had. */
export function decideCopying(project: Project, copying: Copying, rootId: RootId): CreationDecision {
  const { as, from, at, holds = false, wish = "" } = copying;
  const fingerprint = hash(`${as} ${from} ${at} ${holds} ${wish}`);
  const repeated = repeatedCommand(project, copying, fingerprint);
  if (repeated?.ok) return { kind: "known", rootId: repeated.id as RootId, seq: at + 1 };
  if (repeated) return { kind: "refused", refusal: repeated.refusal };
  const created = { type: "tree.created" as const, rootId, by: copying.by, ...receiptOf(copying, fingerprint) };
  return { kind: "made", project: [created], tree: [], seq: at + 1 };
}

/**
 * The tree's side: what follows the past of a copy, in the commit that makes it count. Calls that may have begun there have an unknown outcome
 * here, and nothing moves until a person resumes it.
 */
export function decideCopy(past: Tree, copying: Copying, documents: readonly CopiedDocument[], rules: Rules): readonly TreeEvent[] {
  const { as, from, at, holds, by } = copying;
  const draft = new Draft(past, rules.at);
  const main = mainDialogOf(past.rootId);
  // A copy of a what-if is one too.
  const holdsEffects = holds === true || past.copied?.holds === true;
  draft.add({ type: "dialog.copied", ...draft.here(main), as, from, at, ...(holdsEffects && { holds: true }), by });
  for (const { path, to, dialog } of past.unwritten) draft.add({ type: "document.written", ...draft.here(dialog), path, to, taken: true });
  for (const { path, hash: to, text } of documents)
    draft.add({ type: "document.changed", ...draft.here(main), path, from: "", to, content: text, by });
  endUndos(draft);
  endCalls(draft, as, rules);
  withdrawDay(draft, rules);
  if (as === "fork" && mainDialog(draft.tree)?.status === "archived") draft.add({ type: "dialog.reopened", ...draft.here(main), by });
  // What waited for those calls may follow now.
  conclude(draft, rules);
  if (as === "fork" ? !holds : hasOpenTurn(draft.tree)) stopAll(draft, by, rules);
  return draft.events;
}

const hasOpenTurn = (tree: Tree): boolean => [...tree.dialogs.values()].some((dialog) => turnsOf(tree, dialog).length > 0);

/** What a command replaced is kept for the original alone. */
function endUndos(draft: Draft): void {
  for (const { call, dialog, agent, tool, paths, more } of draft.tree.applied.filter(isBeingUndone))
    draft.add({ type: "call.undone", ...draft.here(dialog), agent, call, tool, paths: [...paths], more, refused: "gone" });
}

/** What a call did there, did not happen again here, and a layer belongs to the original. */
function endCalls(draft: Draft, as: Copying["as"], { texts }: Rules): void {
  for (const dialog of draft.tree.dialogs.values())
    for (const { it: turn, ...ref } of turnsOf(draft.tree, dialog))
      for (const call of turn.calls) {
        const isUnknown = mayHaveBegun(call, turn);
        if (!call.started && !isUnknown && !isApproved(draft.tree, call)) continue;
        const why = isUnknown
          ? texts.copiedDuringCall(call.tool, as)
          : call.started
            ? texts.layerNotCopied(call.tool, as)
            : texts.approvedInOriginal(call.tool);
        const asked = call.held === undefined ? undefined : draft.tree.questions.get(call.held);
        if (asked?.status === "open") withdrawQuestion(draft, asked, why);
        // A withdrawn approval has ended its call.
        if (!turnAt(draft.tree, ref)?.calls.some(({ id }) => id === call.id)) continue;
        const outcome = isUnknown ? "unknown" : "refused";
        const { agent, turn: id } = ref;
        draft.add({ type: "call.ended", ...draft.here(ref.dialog), agent, turn: id, call: call.id, output: why, outcome, copied: true });
      }
}

/** A person approved one run, and the original had it. An approval is named by its call. */
function isApproved({ questions }: Tree, { id }: Call): boolean {
  const approval = questions.get(id);
  return approval?.kind === "approval" && approval.status === "answered";
}

/** The day's limit is asked about once in the project. */
function withdrawDay(draft: Draft, { texts }: Rules): void {
  for (const id of draft.tree.openQuestions.keys()) {
    const question = draft.tree.questions.get(id);
    if (question?.limit === "costPerDay") withdrawQuestion(draft, question, texts.askedInOriginal);
  }
}

/** Every dialog with something to do, so that one resume of the main dialog starts all of them again. */
function stopAll(draft: Draft, by: string, { texts }: Rules): void {
  const main = mainDialogOf(draft.tree.rootId);
  const { status, stopped } = draft.dialog(main);
  if (status !== "running") return;
  const reason = { code: "person", message: texts.stoppedBy(by) } as const;
  if (!stopped) draft.add({ type: "dialog.stopped", ...draft.here(main), reason, tree: true, by });
  const cause = draft.dialog(main).stopped?.seq ?? draft.tree.seq;
  for (const dialog of draft.tree.dialogs.values()) {
    if (dialog.id === main || dialog.status !== "running" || dialog.stopped || turnsOf(draft.tree, dialog).length === 0) continue;
    draft.add({ type: "dialog.stopped", ...draft.here(dialog.id), by, cause, reason: { code: "cascade", message: texts.stoppedBy(by) } });
  }
}
