import type { BuiltinInput } from "@colloquy/schema";
import type { Refusing } from "../asks/ask.ts";
import type { CallDecision } from "../step/step-decision.ts";
import { tooLarge } from "../view/tokens.ts";
import type { Dialog } from "../state/tree.ts";
import { endCall } from "./end-call.ts";
import type { ParsedCall } from "./parsed-call.ts";

export const nextReminder = (dialog: Dialog): number => Math.max(0, ...dialog.reminders.map((one) => one.id)) + 1;

export function addReminder({ draft, ref, rules }: CallDecision, { content }: BuiltinInput<"add_reminder">): Refusing {
  const tooMuch = tooLarge(content, ref.agent, rules, true);
  if (tooMuch !== undefined) return tooMuch;
  const reminder = nextReminder(draft.dialog(ref.dialog));
  draft.add({ type: "reminder.added", ...draft.here(ref.dialog), reminder, content });
  return endCall(draft, ref, rules.texts.reminderAdded(reminder));
}

export function changeReminder(
  { draft, ref, rules }: CallDecision,
  parsed: Extract<ParsedCall, { tool: "update_reminder" | "delete_reminder" }>,
): Refusing {
  const { reminder_id: reminder } = parsed.input;
  const known = draft.dialog(ref.dialog).reminders.map((one) => one.id);
  if (!known.includes(reminder)) return rules.texts.noReminder(reminder, known);
  const tooMuch = parsed.tool === "delete_reminder" ? undefined : tooLarge(parsed.input.content, ref.agent, rules, true);
  if (tooMuch !== undefined) return tooMuch;
  const here = draft.here(ref.dialog);
  if (parsed.tool === "delete_reminder") draft.add({ type: "reminder.deleted", ...here, reminder });
  else draft.add({ type: "reminder.updated", ...here, reminder, content: parsed.input.content });
  return endCall(draft, ref, rules.texts.reminderChanged(reminder));
}
