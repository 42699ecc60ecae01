import type { Recorded } from "@colloquy/schema";
import type { LineRow, Row } from "./rows.ts";
import { showEnded, showHeld, showRan, showReleased, showUndoAsked, showUndone } from "./show-call.ts";
import {
  showAcknowledged,
  showAsk,
  showAskAnswered,
  showAssignment,
  showClosed,
  showCourse,
  showMessage,
  showQuestion,
  showRevised,
} from "./show-conversation.ts";
import { showStep } from "./show-step.ts";
import { type Show, TranscriptDraft } from "./transcript-draft.ts";

type Event = Recorded["event"];
type Shows = { readonly [Type in Event["type"]]?: Show<Extract<Event, { type: Type }>> };

const showLine: Show<LineRow["event"]> = (draft, event, here) => draft.add({ ...here, kind: "line", event });

/** How each kind of event is shown; others are not. */
const SHOWS: Shows = {
  "message.added": showMessage,
  "message.acknowledged": showAcknowledged,
  "step.ended": showStep,
  "step.cut": showStep,
  "call.ran": showRan,
  "call.ended": showEnded,
  "call.held": showHeld,
  "call.released": showReleased,
  "call.undo_asked": showUndoAsked,
  "call.undone": showUndone,
  "call.settled": showLine,
  "definition.changed": showLine,
  "ask.opened": showAsk,
  "ask.answered": showAskAnswered,
  "question.asked": showQuestion,
  "question.revised": showRevised,
  "question.closed": showClosed,
  "course.started": showCourse,
  "dialog.copied": showLine,
  "dialog.renamed": showLine,
  "dialog.resumed": showLine,
  "dialog.completed": showLine,
  "dialog.reopened": showLine,
  "dialog.archived": showLine,
  "dialog.died": showLine,
  "dialog.reassigned": showLine,
  "dialog.ended": showLine,
  "document.changed": showLine,
  "reminder.added": showLine,
  "phase.set": showLine,
  "decision.recorded": showLine,
  "notice.added": showLine,
  // A stop that follows from another dialog's is shown there.
  "dialog.stopped": (draft, event, here) => event.reason.code !== "cascade" && showLine(draft, event, here),
};

/** A dialog's rows, made in one pass over its events. */
export function transcript(events: readonly Recorded[], dialogId: string): readonly Row[] {
  const draft = new TranscriptDraft(dialogId);
  for (const { seq, at, event } of events) {
    const here = { seq, at: Date.parse(at), key: `e${seq}` };
    if (event.type === "ask.opened" && (event.to as string) === dialogId) showAssignment(draft, event, here);
    if ((event.dialog as string) === dialogId) (SHOWS[event.type] as Show<Event> | undefined)?.(draft, event, here);
  }
  return draft.rows;
}
