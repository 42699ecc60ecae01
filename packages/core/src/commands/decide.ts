import { type Command, type DialogCommand, type DialogId, shortId, type TreeEvent, type TreeEventOf, unreachable } from "@colloquy/schema";
import { cancelAsk, endTurn, withdrawQuestion } from "../asks/ask.ts";
import { accept, type Decision, refuse } from "../state/decision.ts";
import { decideChangeMind } from "./decide-document.ts";
import { decideQuestion } from "./decide-question.ts";
import { decideSettle } from "./decide-settle.ts";
import { decideUndo } from "./decide-undo.ts";
import { decideSend } from "./decide-send.ts";
import { Draft } from "../state/draft.ts";
import { conclude } from "../step/conclude.ts";
import { clearMind } from "../builtin/clear-mind.ts";
import { nextReminder } from "../builtin/reminder.ts";
import type { Rules } from "../prompt/rules.ts";
import { phaseRefused, wordsOf } from "./phase.ts";
import { commandHash } from "../state/receipt.ts";
import { resume } from "./resume.ts";
import { refuseTooLarge } from "../view/tokens.ts";
import { askOf, type Dialog, dialogOf, type Receipt, receiptKey, type Tree, turnsOf } from "../state/tree.ts";

/** Decides a person's command: events, or a refusal. Duplicates and races are resolved here. */
export function decide(tree: Tree, command: Command, rules: Rules): Decision<TreeEvent> {
  const receipt = command.msgId === undefined ? undefined : tree.receipts.get(receiptKey(command.by, command.msgId));
  if (receipt) return repeated(command, receipt);
  return (
    tooLargeFor(tree, command, rules) ?? ("question" in command ? decideQuestion(tree, command, rules) : decideDialog(tree, command, rules))
  );
}

/** Refuses a message too large for its agent's context. Otherwise nobody would know until the model refuses it. */
function tooLargeFor(tree: Tree, command: Command, rules: Rules): No {
  const agent = "question" in command ? tree.questions.get(command.question)?.agent : dialogOf(tree, command.dialog)?.agent;
  if (agent === undefined) return undefined;
  if (command.type === "clear_mind") return refuseTooLarge(command.reminder, agent, rules, true);
  if (command.type === "dismiss" || command.type === "deny") return refuseTooLarge(command.why, agent, rules);
  if (!("content" in command)) return undefined;
  const isLasting = command.type === "add_reminder" || command.type === "update_reminder" || command.type === "change_mind";
  return refuseTooLarge(command.content, agent, rules, isLasting);
}

function decideDialog(tree: Tree, command: DialogCommand, rules: Rules): Decision<TreeEvent> {
  const dialog = dialogOf(tree, command.dialog);
  if (!dialog) return refuse("not_found", `There is no dialog ${command.dialog}.`);
  // Allowed in any state of the dialog: the command's changes are in the project.
  if (command.type === "undo") return decideUndo(tree, command, rules.at);
  if (command.type === "settle") return decideSettle(tree, command, rules.at);
  const draft = new Draft(tree, rules.at, command);
  const refusal = decideForDialog(draft, dialog, command, rules);
  if (refusal) return refusal;
  conclude(draft, rules);
  const own = draft.events.findIndex((event) => ("msgId" in event && event.msgId !== undefined) || event.type === "message.added");
  return draft.decision(own < 0 ? draft.events.length : own + 1);
}

type No = ReturnType<typeof refuse> | undefined;

function decideForDialog(draft: Draft, dialog: Dialog, command: Exclude<DialogCommand, { type: "undo" | "settle" }>, rules: Rules): No {
  const here = draft.here(dialog.id);
  const signature = { by: command.by, ...(command.msgId !== undefined && { msgId: command.msgId }) };
  const signed = { ...here, ...signature };
  const name = shortId(dialog.id);
  if (dialog.isDead) return refuse("dead", `Dialog ${name} was declared dead.`);
  if (dialog.isEnded) return refuse("not_running", `Dialog ${name} was ended by its asker. Write to the dialog that it worked for.`);
  switch (command.type) {
    case "send":
      if (dialog.status === "archived") return refuse("archived", `Dialog ${name} is archived and takes no messages.`);
      if (dialog.program !== undefined)
        return refuse(
          "bad_request",
          `Dialog ${name} holds a question of ${dialog.program}. No agent reads messages there: answer the question.`,
        );
      return decideSend(draft, dialog, command, rules);
    case "set_phase": {
      const { phase, why, summary } = command;
      if (dialog.status !== "running") return refuse("not_running", `Dialog ${name} is ${dialog.status}.`);
      const refusing = phaseRefused(dialog.phase, phase, summary, rules);
      if (refusing !== undefined) return refuse("phase_not_allowed", refusing);
      draft.add({ type: "phase.set", ...signed, phase, ...wordsOf(why, summary) });
      return undefined;
    }
    case "rename":
      if (command.title.trim() === "") return refuse("empty_content", "A title needs some text.");
      draft.add({ type: "dialog.renamed", ...signed, title: command.title.trim() });
      return undefined;
    case "stop":
      if (dialog.status !== "running") return refuse("not_running", `Dialog ${name} is ${dialog.status}.`);
      // A dialog that is already stopped is now stopped together with its tree.
      if (!dialog.stopped || (command.tree && !dialog.stopped.tree))
        draft.add({
          type: "dialog.stopped",
          ...signed,
          reason: { code: "person", message: rules.texts.stoppedBy(command.by) },
          ...(command.tree && { tree: true }),
        });
      if (command.tree) stopBelow(draft, dialog.id, cascadeOf(draft.dialog(dialog.id), command.by, rules));
      return undefined;
    case "resume":
      if (dialog.status !== "running") return refuse("not_running", `Dialog ${name} is ${dialog.status}.`);
      if (!dialog.stopped) return refuse("not_stopped", `Dialog ${name} is not stopped.`);
      resume(draft, dialog, signature, rules);
      return undefined;
    case "done":
    case "archive": {
      if (dialog.side) return refuse("bad_request", "Only a main dialog can be closed; a side dialog can be declared dead.");
      if (command.type === "done" && dialog.status === "archived") return refuse("archived", `Dialog ${name} is archived.`);
      const status = command.type === "done" ? "completed" : "archived";
      if (dialog.status === status) return undefined;
      endAll(draft, rules.texts.closedBy(command.by));
      draft.add({ type: command.type === "done" ? "dialog.completed" : "dialog.archived", ...signed });
      return undefined;
    }
    case "dead": {
      if (!dialog.side) return refuse("not_a_side_dialog", "A main dialog cannot be dead. Close it with done or archive.");
      const why = rules.texts.declaredDead(rules.team.nameOf(dialog.agent), command.by);
      for (const id of [...dialog.waiting, ...(dialog.assignment === undefined ? [] : [dialog.assignment])]) {
        const ask = askOf(draft.tree, id);
        if (!ask) continue;
        // Queued asks are cancelled first, so that none of them begins in a dialog that is about to die.
        cancelAsk(draft, ask, why, "dead");
      }
      for (const ref of turnsOf(draft.tree, draft.dialog(dialog.id))) endTurn(draft, ref, why);
      for (const id of draft.dialog(dialog.id).questions) {
        const question = draft.tree.questions.get(id);
        if (question) withdrawQuestion(draft, question, why);
      }
      draft.add({ type: "dialog.died", ...signed });
      return undefined;
    }
    case "change_mind": {
      const decision = decideChangeMind(draft.tree, command);
      if (!decision.ok) return decision;
      for (const event of decision.events) draft.add(event);
      return undefined;
    }
    case "clear_mind":
      if (dialog.status !== "running") return refuse("not_running", `Dialog ${name} is ${dialog.status}.`);
      if (command.reminder?.trim())
        draft.add({ type: "reminder.added", ...here, by: command.by, reminder: nextReminder(dialog), content: command.reminder });
      clearMind(draft, dialog.id, rules, signature);
      return undefined;
    case "add_reminder":
      if (command.content.trim() === "") return refuse("empty_content", "A reminder needs some text.");
      draft.add({ type: "reminder.added", ...signed, reminder: nextReminder(dialog), content: command.content });
      return undefined;
    case "update_reminder":
    case "delete_reminder":
      if (!dialog.reminders.some((one) => one.id === command.reminder))
        return refuse(
          "not_found",
          rules.texts.noReminder(
            command.reminder,
            dialog.reminders.map((one) => one.id),
          ),
        );
      if (command.type === "update_reminder" && command.content.trim() === "")
        return refuse("empty_content", "A reminder needs some text.");
      if (command.type === "delete_reminder") draft.add({ type: "reminder.deleted", ...signed, reminder: command.reminder });
      else draft.add({ type: "reminder.updated", ...signed, reminder: command.reminder, content: command.content });
      return undefined;
    default:
      return unreachable(command);
  }
}

/** A stop that spreads from one dialog to those that work for it. `cause`: the event that stopped the first one. */
type Cascade = Required<Pick<TreeEventOf<"dialog.stopped">, "by" | "reason" | "cause">>;

const cascadeOf = ({ stopped }: Dialog, by: string, { texts }: Rules): Cascade => ({
  by,
  reason: { code: "cascade", message: texts.stoppedBy(by) },
  cause: stopped?.seq ?? 0,
});

/** Stops the dialogs that serve an ask of this one, the dialogs that serve theirs, and so on. */
function stopBelow(draft: Draft, id: DialogId, cascade: Cascade, seen = new Set<DialogId>()): void {
  seen.add(id);
  const serving = turnsOf(draft.tree, draft.dialog(id))
    .flatMap(({ it }) => [...it.asks, ...it.wakingAsks])
    .flatMap((ask) => askOf(draft.tree, ask) ?? [])
    .filter((ask) => ask.kind !== "tellaskBack" && ask.turn !== undefined);
  for (const ask of serving) {
    const below = draft.dialog(ask.to);
    // No turn waits for itself, but two dialogs may serve each other with different turns.
    if (seen.has(below.id)) continue;
    if (below.status === "running" && !below.stopped) draft.add({ type: "dialog.stopped", ...draft.here(below.id), ...cascade });
    // A dialog that is already stopped may still have others working for it.
    stopBelow(draft, below.id, cascade, seen);
  }
}

/** Ends all asks, questions and turns in the tree. */
function endAll(draft: Draft, why: string): void {
  for (const dialog of draft.tree.dialogs.values()) {
    for (const ref of turnsOf(draft.tree, dialog)) endTurn(draft, ref, why);
  }
  for (const ask of draft.tree.asks.values()) if (askOf(draft.tree, ask.id)) cancelAsk(draft, ask, why, "cancelled");
  for (const dialog of draft.tree.dialogs.values()) for (const ref of turnsOf(draft.tree, dialog)) endTurn(draft, ref, why);
  for (const id of draft.tree.openQuestions.keys()) {
    const question = draft.tree.questions.get(id);
    if (question?.status === "open") withdrawQuestion(draft, question, why);
  }
}

/** A sender that never got its receipt sends the command again and gets the same one. Another command under that `msgId` is refused. */
function repeated(command: Command, receipt: Receipt): Decision<TreeEvent> {
  // The receipt holds even if the same command would now be refused or change something.
  if (commandHash(command) === receipt.hash) return accept(receipt.seq, []);
  return refuse("msg_id_reused", `The msgId "${command.msgId}" was already used for another command. Use a new one for each command.`);
}
