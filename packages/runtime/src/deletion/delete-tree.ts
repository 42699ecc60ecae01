import { decide, decideDeletion, type DeletedTree, type SignedCommand } from "@colloquy/core";
import { Fault, mainDialogOf, type Refusal } from "@colloquy/schema";
import type { Desk } from "../engine/commit.ts";
import type { ProjectContext } from "../engine/project-context.ts";
import { lostEvents } from "../team/lost-trees.ts";

export interface Deleting extends SignedCommand, DeletedTree {}

export type Deleted = { readonly ok: true } | { readonly ok: false; readonly refusal: Refusal };

/**
 * Deletes a tree: everything open in it ends as if it were archived, in the commit that deletes it. `endWork`: work in progress in it ends
 * first. Repeating a `msgId` deletes once.
 */
export async function deleteTree(context: ProjectContext, desk: Desk, deleting: Deleting, endWork: () => Promise<void>): Promise<Deleted> {
  const { rulebook, writer, deps } = context;
  const { rootId, by } = deleting;
  const decided = () => decideDeletion(desk.project.state, deleting, deleting);
  const first = decided();
  if (!first.ok) return first;
  if (first.events.length === 0) {
    await desk.project.settled;
    return { ok: true };
  }
  try {
    await endWork();
    const outcome = await writer.commit(rootId, (tree) => {
      const archived = decide(tree, { type: "archive", dialog: mainDialogOf(rootId), by }, rulebook.rules());
      const deletion = decided();
      if (!archived.ok) return archived;
      if (!deletion.ok) return deletion;
      return { ...archived, project: [...(archived.project ?? []), ...deletion.events] };
    });
    if (!outcome.ok) return outcome;
    if (outcome.events.length > 0) return { ok: true };
  } catch (error) {
    // A tree that cannot be read can be deleted.
    if (!(error instanceof Fault) || error.code !== "log_corrupt") throw error;
  }
  // Nothing is open in it, or nobody can tell.
  await desk.project.decide((project) => {
    const deletion = decideDeletion(project, deleting, deleting);
    if (!deletion.ok || deletion.events.length === 0) return deletion;
    const isDamaged = deps.store.damageOf(rootId) !== undefined;
    return { ok: true, events: [...deletion.events, ...(isDamaged ? lostEvents(context, project, rootId) : [])] };
  });
  return { ok: true };
}
