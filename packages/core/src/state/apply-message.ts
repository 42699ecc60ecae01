import { runKey, type TreeEventOf } from "@colloquy/schema";
import { excerptOf } from "../step/summary.ts";
import { changeDialog, changeRun, changeTurn, openTurn } from "./change.ts";
import { type Dialog, isJoinable, runOf, type Tree, type Turn } from "./tree.ts";

/** A person's message opens turns, or joins those that are open. */
export function hear(all: Tree, event: TreeEventOf<"message.added">): Tree {
  const tree =
    event.task && all.task ? { ...all, task: { ...all.task, turn: all.seq, said: undefined, report: undefined, answered: [] } } : all;
  const counted = changeDialog(tree, event.dialog, ({ messages, firstRequest }) => ({
    messages: messages + 1,
    firstRequest: firstRequest ?? { seq: tree.seq, text: excerptOf(event.content) },
  }));
  const urgentSeq = event.now || event.interrupt ? tree.seq : 0;
  let before: Turn["followsTurn"];
  return event.to.reduce((heard, agent) => {
    const at = { dialog: event.dialog, agent };
    const followsTurn = before;
    const isNew = event.opens?.includes(agent) ?? false;
    before = { agent, turn: isNew ? heard.seq : (runOf(heard, event.dialog, agent)?.turns.find(isJoinable)?.id ?? 0) };
    const joined = isNew
      ? openTurn(heard, at, { cause: { kind: "message" }, queue: [heard.seq], depth: 0, urgentSeq, followsTurn })
      : joinOldest(heard, at, urgentSeq);
    return event.sessionId === undefined ? joined : changeRun(joined, at, () => ({ sessionId: event.sessionId }));
  }, counted);
}

/** A message joins the oldest open turn that accepts messages. A turn that answers an ask-back does not. */
function joinOldest(tree: Tree, at: { dialog: Dialog["id"]; agent: Dialog["agent"] }, urgentSeq: number): Tree {
  const oldest = tree.runs.get(runKey(at.dialog, at.agent))?.turns.find(isJoinable);
  if (!oldest) return tree;
  return changeTurn(tree, { ...at, turn: oldest.id }, (turn) => ({
    newestSeq: tree.seq,
    queue: [...turn.queue, tree.seq],
    urgentSeq: Math.max(turn.urgentSeq, urgentSeq),
    unattended: 0,
  }));
}
