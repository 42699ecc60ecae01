import { type Recorded, textOf, type TreeEvent } from "@colloquy/schema";

/** One message in a dialog, as a page shows it. */
export interface DialogMessage {
  readonly seq: number;
  readonly at: string;
  readonly from: "person" | "agent";
  /** A person's name, or an agent's id. */
  readonly by: string;
  readonly text: string;
  /** The question that it asks or answers. */
  readonly questionId?: string;
}

/** What people and agents said in one dialog, in order: messages, agents' output, questions and the decisions on them. */
export const messagesIn = (events: readonly Recorded[], dialogId: string): readonly DialogMessage[] =>
  events.flatMap(({ seq, at, dialog, event }) => {
    const said = dialog.selfId === dialogId ? saidBy(event) : undefined;
    return said && said.text.trim() !== "" ? [{ seq, at, ...said }] : [];
  });

function saidBy(event: TreeEvent): Omit<DialogMessage, "seq" | "at"> | undefined {
  switch (event.type) {
    case "message.added":
      return { from: "person", by: event.by, text: event.content };
    case "step.ended":
      return { from: "agent", by: event.agent, text: textOf(event.parts) };
    case "question.asked": {
      const { headline, text } = event;
      const whole = text.startsWith(headline) ? text : `${headline}\n${text}`;
      return { from: "agent", by: event.agent, text: whole.trim(), questionId: event.question };
    }
    case "question.closed": {
      const { by, verdict = "", choice = [], content = "" } = event;
      const text = [verdict, ...choice, content].filter((words) => words !== "").join("\n");
      return by === undefined ? undefined : { from: "person", by, text, questionId: event.question };
    }
    default:
      return undefined;
  }
}
