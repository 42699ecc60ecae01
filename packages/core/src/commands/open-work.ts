import { type Dialog, isJoinable, runOf, type Tree, type Turn } from "../state/tree.ts";

/** Something a turn waits for, in words. `call`: its id for `cancel_asks`. */
export interface OpenWork {
  readonly who: string | undefined;
  readonly headline: string;
  readonly sinceMs: number;
  readonly call: string | undefined;
}

/** What a turn waits for, oldest first: asks, then questions to people. */
export function openWork(tree: Tree, turn: Turn): readonly OpenWork[] {
  const asks = [...turn.asks, ...turn.wakingAsks].flatMap((id) => tree.asks.get(id) ?? []);
  const questions = turn.questions.flatMap((id) => tree.questions.get(id) ?? []);
  return [
    ...asks.map((ask) => ({ who: ask.recipient, headline: ask.headline, sinceMs: ask.askedAt, call: ask.call })),
    ...questions.map((one) => ({
      who: undefined,
      headline: one.headline,
      sinceMs: one.askedAt,
      call: one.kind === "question" || one.kind === "approval" ? one.call : undefined,
    })),
  ];
}

/** The turn that a message to this agent would join, if any. */
export const joinableTurn = (tree: Tree, dialog: Dialog, agent: Dialog["agent"]): Turn | undefined =>
  runOf(tree, dialog.id, agent)?.turns.find(isJoinable);
