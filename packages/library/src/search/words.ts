import { textOf, type TreeEvent } from "@colloquy/schema";

/** A searchable text and its position. */
export interface Words {
  readonly selfId: string;
  /** Absent for a title. */
  readonly seq: number | undefined;
  readonly at: string;
  readonly by: string;
  readonly text: string;
  readonly questionId: string | undefined;
}

/** The text of an event that people can find. A text recorded twice, as an answer and as a step's end, is indexed once. */
export function wordsOf(event: TreeEvent, seq: number, at: string): Words | undefined {
  const words = (by: string, text: string, questionId?: string): Words | undefined =>
    text.trim() === "" ? undefined : { selfId: event.dialog, seq, at, by, text, questionId };
  switch (event.type) {
    case "dialog.created":
      return { selfId: event.dialog, seq: undefined, at, by: event.by ?? event.agent, text: event.title, questionId: undefined };
    case "dialog.renamed":
      return { selfId: event.dialog, seq: undefined, at, by: event.by ?? "", text: event.title, questionId: undefined };
    case "message.added":
      return words(event.by, event.content);
    case "step.ended":
      return words(event.agent, textOf(event.parts));
    case "ask.opened":
      return words(event.agent, event.content);
    case "question.asked":
    case "question.revised":
      return words(event.agent, event.text.startsWith(event.headline) ? event.text : `${event.headline}\n${event.text}`, event.question);
    case "question.closed":
      return words(event.by ?? event.agent, [...(event.choice ?? []), event.content ?? ""].join("\n").trim(), event.question);
    default:
      return undefined;
  }
}
