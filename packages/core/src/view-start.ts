import type { AgentId, DialogId } from "@colloquy/schema";
import { runOf, type Tree } from "./tree.ts";

/**
 * From which event on a view must be read: the course's first, or earlier where something older is still unread, owed or
 * open. What the view then knows of the course before it is only that.
 */
export function viewStart(tree: Tree, dialog: DialogId, agent: AgentId): number {
  const found = tree.dialogs.get(dialog);
  const turns = runOf(tree, dialog, agent)?.turns ?? [];
  const asks = turns.flatMap((turn) => [...turn.asks, ...turn.each, ...("ask" in turn.cause ? [turn.cause.ask] : [])]);
  const seqs = [...asks, ...(found?.waiting ?? [])].flatMap((id) => tree.asks.get(id)?.seq ?? []);
  const questions = turns.flatMap((turn) => turn.questions).flatMap((id) => tree.questions.get(id)?.seq ?? []);
  return Math.min(found?.courseSeq ?? 1, ...turns.flatMap((turn) => [turn.id, ...turn.queue]), ...seqs, ...questions);
}
