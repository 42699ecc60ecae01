import type { DialogId, TreeEvent, Usage } from "@colloquy/schema";
import { withdrawQuestion } from "../asks/ask.ts";
import type { Decision } from "../state/decision.ts";
import { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import type { Tree } from "../state/tree.ts";
import { nextReminder } from "./reminder.ts";

/** Withdraws the dialog's questions and starts the next course. Asks, turns, queue and reminders stay. */
export function clearMind(draft: Draft, id: DialogId, rules: Rules, signed: { by?: string; msgId?: string }): void {
  // Already cleared in this decision; a course needs at least one event.
  if (draft.events.some((event) => event.type === "course.started" && event.dialog === id)) return;
  const dialog = draft.dialog(id);
  for (const question of dialog.questions.flatMap((one) => draft.tree.questions.get(one) ?? [])) {
    if (question.kind === "limit" || question.kind === "fault") continue;
    withdrawQuestion(draft, question, rules.texts.mindCleared);
  }
  draft.add({ type: "course.started", dialog: id, course: draft.dialog(id).course + 1, ...signed });
}

/** What a new course keeps of the previous one when the context was full. */
export interface CourseSummary {
  readonly content: string;
  /** No model could write a summary, so it is the agent's last text. */
  readonly isFallback: boolean;
  readonly usage?: Usage | undefined;
  readonly cost?: number | undefined;
}

/** The context is full: starts a new course with a summary as a reminder. Nothing is withdrawn. */
export function clearForRoom(tree: Tree, id: DialogId, summary: CourseSummary, rules: Rules): Decision<TreeEvent> {
  const { content, isFallback, usage, cost } = summary;
  const draft = new Draft(tree, rules.at);
  const dialog = draft.dialog(id);
  // A model's summary includes the previous one and replaces it. A fallback does not.
  const before = isFallback ? undefined : dialog.reminders.find((one) => one.summary);
  if (before) draft.add({ type: "reminder.updated", ...draft.here(id), reminder: before.id, content });
  else {
    const reminder = nextReminder(dialog);
    draft.add({ type: "reminder.added", ...draft.here(id), reminder, content, ...(!isFallback && { summary: true }) });
  }
  draft.add({
    type: "course.started",
    dialog: id,
    course: dialog.course + 1,
    full: true,
    ...(usage && { usage }),
    ...(cost !== undefined && { cost }),
  });
  return draft.decision(2);
}
