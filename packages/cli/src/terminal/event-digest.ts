import type { TreeEvent } from "@colloquy/library";
import { effectCounts } from "@colloquy/schema";
import { callText } from "./call-text.ts";

/** An event in a few words; `--json` has all of it. */
export function eventDigest(event: TreeEvent): string {
  switch (event.type) {
    case "dialog.created":
      return `${event.by ?? event.side?.asker.slice(-6) ?? ""} → ${event.agent}: ${event.title}`;
    case "dialog.renamed":
      return `${event.by ?? ""} ${event.title}`;
    case "message.added":
      return `${event.by} → ${event.to.join(", ")}: ${event.content}`;
    case "message.acknowledged":
      return `${event.agent} → ${event.message}: ${event.text}`;
    case "phase.set":
      return `${event.by ?? event.agent ?? ""} ${event.phase}${[event.why, event.summary]
        .filter(Boolean)
        .map((words) => `: ${words}`)
        .join("")}`;
    case "note.added":
      return `→ ${event.agent}: ${event.text}`;
    case "step.ended":
    case "step.cut":
      return `${event.agent} ${event.turn}.${event.step}${event.type === "step.ended" && event.ends ? " (ends the turn)" : ""} ${event.parts.map(partDigest).join(" · ")}`;
    case "step.attempted":
      return `${event.agent} ${event.turn}.${event.step}${event.alone ? " alone" : ""}`;
    case "call.started":
      return `${event.agent} ${event.call.slice(-6)}`;
    case "call.held":
      return `${event.agent} ${event.call?.slice(-6) ?? event.turn} by ${event.question.slice(-6)}`;
    case "call.released":
      return `${event.agent} ${event.call?.slice(-6) ?? event.turn} of ${event.question.slice(-6)}`;
    case "call.ran":
      return `${event.agent} ${event.call.slice(-6)} ${[effectCounts(event.effects), ...event.effects.git, ...(event.effects.reachesOut ?? [])].join(", ")}`;
    case "call.undo_asked":
      return `${event.by ?? ""} undoes ${event.call.slice(-6)} of ${event.agent}`;
    case "call.undone":
      return `${event.agent} ${event.call.slice(-6)} ${event.refused ?? "undone"}: ${[...event.paths, ...(event.conflicts ?? []).map(({ path }) => `✗ ${path}`)].join(", ")}`;
    case "definition.changed":
      return `${event.agent} ${event.turn} ${event.parts.join(", ")}`;
    case "call.settled":
      return `${event.by ?? ""} settles ${event.call.slice(-6)} of ${event.agent} as ${event.as}${event.note === undefined ? "" : `: ${event.note}`}`;
    case "call.ended":
      return `${event.agent} ${event.call.slice(-6)} ${event.outcome ?? "ok"}: ${event.output}`;
    case "turn.ended":
      return `${event.agent} ${event.turn}`;
    case "ask.opened":
      return `${event.agent} → ${event.recipient} (${event.to.slice(-6)}): ${event.content}`;
    case "assignment.begun":
      return `${event.agent} ${event.ask.slice(0, 32).slice(-6)}`;
    case "ask.answered":
      return `→ ${event.agent}${event.outcome === undefined ? "" : ` (${event.outcome})`}: ${event.content}`;
    case "question.asked":
      return `${event.agent} asks ${event.question.slice(-6)} (${event.kind}): ${event.headline}`;
    case "question.revised":
      return `${event.agent} ${event.question.slice(-6)}: ${event.headline}`;
    case "question.discussed":
      return `${event.by ?? ""} → ${event.agent} ${event.question.slice(-6)}: ${event.content}`;
    case "question.replied":
      return `${event.agent} ${event.question.slice(-6)}: ${event.content}`;
    case "question.closed":
      return `${event.question.slice(-6)} ${event.verdict ?? event.as}${event.by === undefined ? "" : ` by ${event.by}`}: ${[event.choice?.join(", "), event.content].filter(Boolean).join(" · ")}`;
    case "reminder.added":
    case "reminder.updated":
      return `${event.reminder}: ${event.content}`;
    case "reminder.deleted":
      return String(event.reminder);
    case "document.changed":
      return `${event.by ?? event.agent ?? ""} ${event.path}`;
    case "document.written":
      return event.path;
    case "task.reported":
      return `${event.agent} ${event.status}: ${event.summary}`;
    case "notice.added":
      return `${event.agent} ${event.headline}`;
    case "decision.recorded":
      return `${event.agent} ${event.title}: ${event.decision}`;
    case "dialog.stopped":
      return `${event.by ?? event.reason.code}: ${event.reason.message}`;
    case "course.started":
    case "dialog.resumed":
    case "dialog.completed":
    case "dialog.reopened":
    case "dialog.archived":
    case "dialog.died":
      return event.by ?? "";
    case "dialog.copied":
      return `${event.by ?? ""} ${event.as} of ${event.from} at ${event.at}`;
    case "dialog.summarised":
      return event.summary;
    case "dialog.reassigned":
      return event.agent;
    case "dialog.ended":
      return event.endedBy.agent;
    default:
      // A newer log may hold events that this version doesn't know.
      event satisfies never;
      return "";
  }
}

type Part = Extract<TreeEvent, { type: "step.ended" }>["parts"][number];

function partDigest(part: Part): string {
  if ("thinking" in part) return `(${part.thinking})`;
  return "saying" in part ? part.saying : `${callText(part.tool, part.input)} [${part.call.slice(-6)}]`;
}
