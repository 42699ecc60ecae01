import type { Recorded } from "@colloquy/schema";
import type { Words } from "../../words.ts";

/** An event as a grey line. */
export function lineText(event: Recorded["event"], words: Words, name: (agentId: string) => string): string | undefined {
  const say = words.dialog;
  const who = (by: string | undefined): string => by ?? "Colloquy";
  switch (event.type) {
    case "dialog.copied":
      return event.as === "fork" ? say.forked(event.from.slice(-6), event.at) : say.imported(event.from.slice(-6));
    case "dialog.renamed":
      return say.renamed(event.title);
    case "dialog.stopped":
      return event.by === undefined ? say.stoppedRow(event.reason.message) : say.stoppedBy(event.by);
    case "dialog.resumed":
      return say.resumed(who(event.by));
    case "dialog.completed":
      return say.completed;
    case "dialog.reopened":
      return say.reopened;
    case "dialog.archived":
      return say.archivedRow;
    case "dialog.died":
      return say.died(who(event.by));
    case "dialog.reassigned":
      return say.reassigned(name(event.agent));
    case "dialog.ended":
      return say.ended(name(event.endedBy.agent));
    case "document.changed":
      return say.documentChanged(event.by ?? (event.agent === undefined ? "Colloquy" : name(event.agent)), event.path);
    case "reminder.added":
      return say.reminderAdded(event.content);
    case "phase.set":
      return say.phaseSet(event.by ?? (event.agent === undefined ? "Colloquy" : name(event.agent)), say.phases[event.phase] ?? event.phase);
    case "call.undone":
      if (event.output !== undefined) return say.takenBackLine(event.by ?? "", event.tool, event.output);
      return say.undoneLine(event.by ?? "", [...event.paths, ...(event.more > 0 ? [`+${event.more}`] : [])].join(", "));
    case "call.settled":
      return say.settledLine(event.by ?? "", event.tool, [say.settledAs[event.as], event.note].filter(Boolean).join(". "));
    case "definition.changed":
      return say.definitionChanged(name(event.agent), event.parts.map((part) => say.definitionParts[part]).join(", "));
    case "decision.recorded":
      return `${event.title}: ${event.decision}`;
    case "notice.added":
      return `i ${event.headline}`;
    default:
      return undefined;
  }
}
