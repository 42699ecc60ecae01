import type { TreeEvent } from "@colloquy/library";
import { questionGlyphs } from "./question-card.ts";
import { oneLine } from "./visible.ts";

/** A decision, for watchers: one line under the agent's name. */
export interface Note {
  readonly type: "note";
  readonly dialog: string;
  readonly agent: string;
  readonly text: string;
  readonly tone: "quiet" | "person";
  /** The agent streaming in this dialog was interrupted. */
  readonly cuts?: true;
}

/** Undefined for events that the live stream already shows, or that nobody watches for. */
export function noteOf(event: TreeEvent): Note | undefined {
  const { dialog } = event;
  const note = (agent: string, text: string, tone: Note["tone"] = "quiet"): Note => ({
    type: "note",
    dialog,
    agent,
    text: oneLine(text),
    tone,
  });
  switch (event.type) {
    case "ask.opened":
      return note(event.agent, `→ ${event.recipient}${event.kind === "tellaskBack" ? " (asks back)" : ""}: ${event.content}`);
    case "ask.answered":
      return event.outcome === undefined ? undefined : note(event.agent, `✕ ${event.quote}: ${event.outcome}, ${event.content}`);
    case "question.asked":
      return note(event.agent, `${questionGlyphs[event.kind]} ${event.headline}`, "person");
    case "question.closed": {
      const words = [event.verdict, event.choice?.join(", "), event.content].filter(Boolean).join(" · ");
      return event.by === undefined
        ? note(event.agent, `◆ ${event.as}${words === "" ? "" : `: ${words}`}`)
        : note(event.by === "owner" ? "you" : event.by, words);
    }
    case "dialog.stopped":
      return {
        ...note(event.by === undefined || event.by === "owner" ? "" : event.by, `■ stopped: ${event.reason.message.split("\n")[0]}`),
        cuts: true,
      };
    case "step.cut":
      return { ...note(event.agent, ""), cuts: true };
    case "message.acknowledged":
      return note(event.agent, event.text);
    case "phase.set":
      return note(event.by === undefined ? (event.agent ?? "") : event.by === "owner" ? "you" : event.by, `── ${event.phase} ──`);
    case "course.started":
      return note("", `── course ${event.course} ──`);
    default:
      return undefined;
  }
}
