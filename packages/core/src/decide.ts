import { type Command, shortId, type TreeEvent, unreachable } from "@colloquy/schema";
import { accept, type Decision, refuse } from "./decision.ts";
import { receiptHash } from "./receipt.ts";
import { type Dialog, dialogOf, receiptKey, runOf, type Tree } from "./tree.ts";

/** What a person wants of a dialog: events, or a reason why not. Duplicates and races are settled here. */
export function decide(tree: Tree, command: Command): Decision<TreeEvent> {
  const dialog = dialogOf(tree, command.dialog);
  if (!dialog) return refuse("not_found", `There is no dialog ${command.dialog}.`);
  const decision = choose(tree, dialog, command);
  return command.msgId === undefined ? decision : fence(tree, command.by, command.msgId, decision);
}

function choose(tree: Tree, dialog: Dialog, command: Command): Decision<TreeEvent> {
  const here = { dialog: dialog.id, course: dialog.course };
  const signed = { ...here, by: command.by, ...(command.msgId !== undefined && { msgId: command.msgId }) };
  switch (command.type) {
    case "send": {
      if (command.content.trim() === "") return refuse("empty_content", "A message needs some text.");
      if (dialog.status === "archived") return refuse("archived", `Dialog ${shortId(dialog.id)} is archived and takes no messages.`);
      const isOpen = (runOf(tree, dialog.id, dialog.agent)?.turns.length ?? 0) > 0;
      const message: TreeEvent = {
        type: "message.added",
        ...signed,
        content: command.content,
        to: [dialog.agent],
        ...(!isOpen && { opens: [dialog.agent] }),
        ...(command.sessionId !== undefined && { sessionId: command.sessionId }),
      };
      if (dialog.status === "running") return accept(tree.seq + 1, [message]);
      return accept(tree.seq + 2, [{ type: "dialog.reopened", ...here, by: command.by }, message]);
    }
    case "rename":
      if (command.title.trim() === "") return refuse("empty_content", "A title needs some text.");
      return accept(tree.seq + 1, [{ type: "dialog.renamed", ...signed, title: command.title.trim() }]);
    case "stop":
      if (dialog.status !== "running") return refuse("not_running", `Dialog ${shortId(dialog.id)} is ${dialog.status}.`);
      if (dialog.stopped) return accept(tree.seq, []);
      return accept(tree.seq + 1, [
        { type: "dialog.stopped", ...signed, reason: { code: "person", message: `Stopped by ${command.by}.` } },
      ]);
    case "resume":
      if (dialog.status !== "running") return refuse("not_running", `Dialog ${shortId(dialog.id)} is ${dialog.status}.`);
      if (!dialog.stopped) return refuse("not_stopped", `Dialog ${shortId(dialog.id)} is not stopped.`);
      return accept(tree.seq + 1, [{ type: "dialog.resumed", ...signed }]);
    case "done":
      if (dialog.status === "archived") return refuse("archived", `Dialog ${shortId(dialog.id)} is archived.`);
      if (dialog.status === "completed") return accept(tree.seq, []);
      return closing(tree, dialog, command.by, { type: "dialog.completed", ...signed });
    case "archive":
      if (dialog.status === "archived") return accept(tree.seq, []);
      return closing(tree, dialog, command.by, { type: "dialog.archived", ...signed });
    default:
      return unreachable(command);
  }
}

/** Every call that a model made has a result, also when nobody waits for it any more. */
function closing(tree: Tree, dialog: Dialog, by: string, end: TreeEvent): Decision<TreeEvent> {
  const results = dialog.agents.flatMap((agent) =>
    (runOf(tree, dialog.id, agent)?.turns ?? []).flatMap((turn) =>
      turn.calls.map(
        (call): TreeEvent => ({
          type: "call.ended",
          dialog: dialog.id,
          course: dialog.course,
          agent,
          turn: turn.id,
          call: call.id,
          outcome: call.started ? "unknown" : "refused",
          output: call.started ? `Interrupted: ${by} closed the dialog. Whether it took effect is unknown.` : `Not run: ${by} closed the dialog.`,
        }),
      ),
    ),
  );
  return accept(tree.seq + results.length + 1, [...results, end]);
}

/** A sender that lost our receipt sends again: the same word gets the same answer, another word under that id is refused. */
function fence(tree: Tree, by: string, msgId: string, decision: Decision<TreeEvent>): Decision<TreeEvent> {
  const receipt = tree.receipts.get(receiptKey(by, msgId));
  if (!receipt) return decision;
  const event = decision.ok ? decision.events.find((one) => "msgId" in one && one.msgId === msgId) : undefined;
  // What was accepted once may be refused by now, or have nothing left to do: the receipt still stands.
  if (!event || receiptHash(event) === receipt.hash) return accept(receipt.seq, []);
  return refuse("msg_id_reused", `The msgId "${msgId}" was used for something else before. Use a new one for each command.`);
}
