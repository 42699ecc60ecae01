import type { AgentId, AskId } from "@colloquy/schema";
import { askOf, type Dialog, runOf, type Tree, turnAt, type TurnRef } from "../state/tree.ts";

/**
 * Would an ask to this busy session come back to the asking turn? Searched over turns and assignments: a turn leads to its asks; an
 * assignment to the turn that serves it or, while queued, to every open turn of that session and every assignment ahead of it. Returns the
 * agents of the circle in order, the asker first and last.
 */
export function circleThrough(tree: Tree, session: Dialog, asker: TurnRef): readonly AgentId[] | undefined {
  const seen = new Set<string>();
  const key = (ref: TurnRef) => `${ref.dialog}/${ref.agent}/${ref.turn}`;
  const goal = key(asker);

  const fromTurn = (ref: TurnRef, path: readonly AgentId[]): readonly AgentId[] | undefined => {
    if (key(ref) === goal) return [...path, ref.agent];
    if (seen.has(key(ref))) return undefined;
    seen.add(key(ref));
    const turn = turnAt(tree, ref);
    return firstOf([...(turn?.asks ?? []), ...(turn?.wakingAsks ?? [])], (id) => fromAsk(id, [...path, ref.agent]));
  };
  const fromAsk = (id: AskId, path: readonly AgentId[]): readonly AgentId[] | undefined => {
    const ask = askOf(tree, id);
    if (!ask) return undefined;
    if (ask.turn !== undefined) return fromTurn({ dialog: ask.to, agent: ask.recipient, turn: ask.turn }, path);
    const dialog = tree.dialogs.get(ask.to);
    return dialog && fromSession(dialog, path);
  };
  // Assignments ahead in the queue lead to the same open turns: this session serves them before ours.
  const fromSession = (dialog: Dialog, path: readonly AgentId[]): readonly AgentId[] | undefined =>
    firstOf(runOf(tree, dialog.id, dialog.agent)?.turns ?? [], (turn) =>
      fromTurn({ dialog: dialog.id, agent: dialog.agent, turn: turn.id }, path),
    );
  return fromSession(session, [asker.agent]);
}

function firstOf<T, R>(all: readonly T[], find: (one: T) => R | undefined): R | undefined {
  for (const one of all) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
