import type { AgentId, DialogId } from "@colloquy/schema";
import { runOf, type Tree } from "../state/tree.ts";

/**
 * The event at which reading for a view must start: the course's first, or earlier if something older is still unread, owed or open.
 * Nothing else from earlier courses is used.
 */
export function viewStart(tree: Tree, dialog: DialogId, agent: AgentId): number {
  return Math.min(tree.dialogs.get(dialog)?.readFrom ?? 1, oldestOpen(tree, dialog, agent));
}

/** The oldest event that an agent in a dialog has not read, owes an answer to, or waits for. */
export function oldestOpen(tree: Tree, dialog: DialogId, agent: AgentId): number {
  const turns = runOf(tree, dialog, agent)?.turns ?? [];
  const asks = turns.flatMap((turn) => [...turn.asks, ...turn.wakingAsks, ...("ask" in turn.cause ? [turn.cause.ask] : [])]);
  const seqs = [...asks, ...(tree.dialogs.get(dialog)?.waiting ?? [])].flatMap((id) => tree.asks.get(id)?.seq ?? []);
  const questions = turns.flatMap((turn) => turn.questions).flatMap((id) => tree.questions.get(id)?.seq ?? []);
  const steps = turns.filter((turn) => turn.calls.length > 0).map((turn) => turn.stepSeq);
  return Math.min(Infinity, ...turns.flatMap((turn) => [turn.id, ...turn.queue]), ...steps, ...seqs, ...questions);
}
