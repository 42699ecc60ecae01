import type { ProjectEvent } from "@colloquy/schema";
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
