import { askIdOf, type CallPart, type BuiltinTool, unreachable } from "@colloquy/schema";
import { askBack, type Refusing } from "../asks/ask.ts";
import type { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import { delegate, freshBootsReasoning, tellask, tellaskSessionless } from "./ask-agents.ts";
import { askHuman } from "./ask-human.ts";
import { cancelAsks } from "./cancel-asks.ts";
import { endCall, refuseCall } from "./end-call.ts";
import { endSession } from "./end-session.ts";
import type { Outcome } from "./held-by-limit.ts";
import { type ParsedCall, parseCall } from "./parsed-call.ts";
import { inThread } from "./question-thread.ts";
import { addReminder, changeReminder, nextReminder } from "./reminder.ts";
import { taskCall } from "./task-call.ts";
import { phaseRefused, wordsOf } from "../commands/phase.ts";
import { tooLarge } from "../view/tokens.ts";
import { type Dialog, turnAt, type TurnRef } from "../state/tree.ts";

/** What one built-in call leads to: events, including its result unless it waits for one. */
export function decideHouseCall(draft: Draft, ref: TurnRef, call: CallPart, notification: string, rules: Rules): void {
  const parsed = parseCall(call, rules);
  if (!parsed.ok) return refuseCall(draft, ref, call.call, parsed.problem);
  const dialog = draft.dialog(ref.dialog);
  const refusing =
    notAllowed(draft, ref, dialog, parsed.tool, rules) ?? decideByTool(draft, ref, dialog, call, parsed, notification, rules);
  if (typeof refusing === "string") refuseCall(draft, ref, call.call, refusing);
}

const OWN: readonly string[] = ["tellaskBack", "clear_mind", "set_phase", "mark_done"];
const IN_THREAD: readonly string[] = ["revise_question", "withdraw_question"];

function notAllowed(draft: Draft, ref: TurnRef, dialog: Dialog, tool: BuiltinTool, rules: Rules): Refusing {
  const isThread = turnAt(draft.tree, ref)?.cause.kind === "thread";
  if (dialog.side?.fresh) return rules.texts.noToolsHere;
  if (isThread !== IN_THREAD.includes(tool)) return isThread ? rules.texts.onlyTheThread : rules.texts.onlyInThread(tool);
  if (OWN.includes(tool) && ref.agent !== dialog.agent) return rules.texts.onlyItsOwnAgent(tool, rules.team.nameOf(dialog.agent));
  if (tool === "mark_done" && dialog.side) return rules.texts.onlyMainDialogs(tool);
  return undefined;
}

function decideByTool(
  draft: Draft,
  ref: TurnRef,
  dialog: Dialog,
  { call }: CallPart,
  parsed: ParsedCall,
  notification: string,
  rules: Rules,
): Outcome {
  const { texts } = rules;
  const here = draft.here(ref.dialog);
  switch (parsed.tool) {
    case "tellaskBack":
      return askBack(draft, ref, parsed.input.tellaskContent, call, askIdOf(call), rules);
    case "tellask":
      return tellask(draft, ref, call, parsed.input, notification, rules);
    case "tellaskSessionless":
      return tellaskSessionless(draft, ref, call, parsed.input, notification, rules);
    case "freshBootsReasoning":
      return freshBootsReasoning(draft, ref, call, parsed.input, notification, rules);
    case "delegate":
      return delegate(draft, ref, call, parsed.input, notification, rules);
    case "askHuman":
    case "ask":
      return askHuman(draft, ref, call, parsed.input, notification, rules);
    case "cancel_asks":
      return cancelAsks(draft, ref, call, parsed.input.callIds, rules);
    case "end_session":
      return endSession(draft, ref, call, parsed.input, rules);
    case "add_reminder":
      return addReminder(draft, ref, call, parsed.input, rules);
    case "update_reminder":
    case "delete_reminder":
      return changeReminder(draft, ref, call, parsed, rules);
    case "create_task":
    case "update_task":
    case "create_plan":
      return taskCall(draft, ref, call, parsed, rules);
    case "record_decision": {
      const { title, decision, alternatives } = parsed.input;
      draft.add({
        type: "decision.recorded",
        ...here,
        agent: ref.agent,
        turn: ref.turn,
        title,
        decision,
        ...(alternatives && { alternatives: [...alternatives] }),
      });
      return endCall(draft, ref, call, texts.done);
    }
    case "clear_mind": {
      const tooMuch = tooLarge(parsed.input.reminder_content ?? "", ref.agent, rules, true);
      if (tooMuch !== undefined) return tooMuch;
      if (parsed.input.reminder_content?.trim()) {
        draft.add({ type: "reminder.added", ...here, reminder: nextReminder(dialog), content: parsed.input.reminder_content });
      }
      return undefined; // carried out by `carryOutLasts`, once every other call has its result
    }
    case "set_phase": {
      const { phase, why, summary } = parsed.input;
      const refused = phaseRefused(dialog.phase, phase, summary, rules);
      if (refused !== undefined) return refused;
      draft.add({ type: "phase.set", ...here, agent: ref.agent, phase, ...wordsOf(why, summary) });
      return endCall(draft, ref, call, texts.phaseDone(phase));
    }
    case "mark_done":
      return undefined; // like `clear_mind`
    case "change_mind":
    case "update_prd":
    case "remember":
    case "forget":
    case "recall":
    case "read_result":
      return texts.unknownTool(parsed.tool, []); // documents are written by the shell, in the order of the calls
    case "revise_question":
    case "withdraw_question":
      return inThread(draft, ref, call, parsed, rules);
    default:
      return unreachable(parsed);
  }
}
