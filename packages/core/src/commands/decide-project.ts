import { type ProjectEvent, type QuestionView, type RootId, shortId } from "@colloquy/schema";
import { type Decision, refuse } from "../state/decision.ts";
import { hash } from "../state/hash.ts";
import type { Project } from "../state/project.ts";
import { receiptOf, repeatedCommand, type SignedCommand } from "../state/project-receipt.ts";

type ProjectDecision = { readonly ok: true; readonly events: readonly ProjectEvent[] } | Extract<Decision<never>, { ok: false }>;

export function decideRevocation(project: Project, grant: string, signed: SignedCommand): ProjectDecision {
  const fingerprint = hash(`revoke ${grant}`);
  const repeated = repeatedCommand(project, signed, fingerprint);
  if (repeated) return repeated.ok ? { ok: true, events: [] } : repeated;
  if (!project.grants.some(({ id }) => id === grant)) return refuse("not_found", `There is no grant ${grant}.`);
  return { ok: true, events: [{ type: "grant.revoked", grant, by: signed.by, ...receiptOf(signed, fingerprint) }] };
}

/** Dismisses a notice. */
export function decideDismissNotice(project: Project, notice: string, signed: SignedCommand): ProjectDecision {
  const fingerprint = hash(`put away ${notice}`);
  const repeated = repeatedCommand(project, signed, fingerprint);
  if (repeated) return repeated.ok ? { ok: true, events: [] } : repeated;
  const known = project.notices.get(notice);
  if (!known || known.resolvedAt !== undefined) return refuse("not_found", `There is no open notice ${notice}.`);
  return { ok: true, events: [{ type: "notice.resolved", notice, by: signed.by, ...receiptOf(signed, fingerprint) }] };
}

export interface DeletedTree {
  readonly rootId: RootId;
  /** What outlives it. */
  readonly questions?: readonly QuestionView[];
}

/** Deletes a tree. Nothing to commit: a sender repeats its command. */
export function decideDeletion(project: Project, { rootId, questions = [] }: DeletedTree, signed: SignedCommand): ProjectDecision {
  const fingerprint = hash(`delete ${rootId}`);
  const repeated = repeatedCommand(project, signed, fingerprint);
  if (repeated) return repeated.ok ? { ok: true, events: [] } : repeated;
  if (project.deleted.has(rootId)) return refuse("not_found", deletedText(rootId, project));
  const kept = questions.length > 0 && { questions: [...questions] };
  return { ok: true, events: [{ type: "tree.deleted", rootId, by: signed.by, ...kept, ...receiptOf(signed, fingerprint) }] };
}

/** What refers to a dialog that is not there says why. */
export function deletedText(rootId: RootId, { deleted }: Pick<Project, "deleted">): string {
  const deletion = deleted.get(rootId);
  if (!deletion) return `There is no dialog ${rootId}.`;
  return `Dialog ${shortId(rootId)} was deleted on ${new Date(deletion.at).toISOString().slice(0, 10)} by ${deletion.by}.`;
}
