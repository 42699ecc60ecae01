import { askIdOf, type CallPart, type BuiltinTool, unreachable } from "@colloquy/schema";
import { askBack, type Refusing } from "../asks/ask.ts";
import type { CallDecision, TurnDecision } from "../step/step-decision.ts";
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
import { type Dialog, turnAt } from "../state/tree.ts";

/** Decides one built-in call: adds its events, including its result unless the call waits for one. */
export function decideBuiltinCall(at: CallDecision, part: CallPart): void {
  const { draft, ref, rules } = at;
  const parsed = parseCall(part, rules);
  if (!parsed.ok) return refuseCall(draft, ref, parsed.problem);
  const dialog = draft.dialog(ref.dialog);
  const refusing = notAllowed(at, dialog, parsed.tool) ?? decideByTool(at, dialog, parsed);
  if (typeof refusing === "string") refuseCall(draft, ref, refusing);
}

const OWN: readonly string[] = ["tellaskBack", "clear_mind", "set_phase", "mark_done"];
const IN_THREAD: readonly string[] = ["revise_question", "withdraw_question"];

function notAllowed({ draft, ref, rules }: TurnDecision, dialog: Dialog, tool: BuiltinTool): Refusing {
  const isThread = turnAt(draft.tree, ref)?.cause.kind === "thread";
  if (dialog.side?.fresh) return rules.texts.noToolsHere;
  if (isThread !== IN_THREAD.includes(tool)) return isThread ? rules.texts.onlyTheThread : rules.texts.onlyInThread(tool);
  if (OWN.includes(tool) && ref.agent !== dialog.agent) return rules.texts.onlyItsOwnAgent(tool, rules.team.nameOf(dialog.agent));
  if (tool === "mark_done" && dialog.side) return rules.texts.onlyMainDialogs(tool);
  return undefined;
}

function decideByTool(at: CallDecision, dialog: Dialog, parsed: ParsedCall): Outcome {
  const { draft, ref, rules } = at;
  const { texts } = rules;
  const here = draft.here(ref.dialog);
  switch (parsed.tool) {
    case "tellaskBack":
      return askBack(at, { id: askIdOf(ref.call), call: ref.call, content: parsed.input.tellaskContent });
    case "tellask":
      return tellask(at, parsed.input);
    case "tellaskSessionless":
      return tellaskSessionless(at, parsed.input);
    case "freshBootsReasoning":
      return freshBootsReasoning(at, parsed.input);
    case "delegate":
      return delegate(at, parsed.input);
    case "askHuman":
    case "ask":
      return askHuman(at, parsed.input);
    case "cancel_asks":
      return cancelAsks(at, parsed.input.callIds);
    case "end_session":
      return endSession(at, parsed.input);
    case "add_reminder":
      return addReminder(at, parsed.input);
    case "update_reminder":
    case "delete_reminder":
      return changeReminder(at, parsed);
    case "create_task":
    case "update_task":
    case "create_plan":
      return taskCall(at, parsed);
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
      return endCall(draft, ref, texts.done);
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
      return endCall(draft, ref, texts.phaseDone(phase));
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
      return inThread(at, parsed);
    default:
      return unreachable(parsed);
  }
}
