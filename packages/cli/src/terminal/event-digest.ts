import type { TreeEvent } from "@colloquy/library";
import { callText } from "./call-text.ts";

/** What an event says, in a few words; the whole of it is what `--json` gives. */
export function eventDigest(event: TreeEvent): string {
  switch (event.type) {
    case "dialog.created":
      return `${event.by} → ${event.agent}: ${event.title}`;
    case "dialog.renamed":
      return `${event.by ?? ""} ${event.title}`;
    case "message.added":
      return `${event.by} → ${event.to.join(", ")}: ${event.content}`;
    case "note.added":
      return `→ ${event.agent}: ${event.text}`;
    case "step.ended":
    case "step.cut":
      return `${event.agent} ${event.turn}.${event.step}${event.type === "step.ended" && event.ends ? " (ends the turn)" : ""} ${event.parts.map(partDigest).join(" · ")}`;
    case "step.attempted":
      return `${event.agent} ${event.turn}.${event.step}${event.alone ? " alone" : ""}`;
    case "call.started":
      return `${event.agent} ${event.call.slice(-6)}`;
    case "call.ended":
      return `${event.agent} ${event.call.slice(-6)} ${event.outcome ?? "ok"}: ${event.output}`;
    case "dialog.stopped":
      return `${event.by ?? event.reason.code}: ${event.reason.message}`;
    default:
      return event.by ?? "";
  }
}

type Part = Extract<TreeEvent, { type: "step.ended" }>["parts"][number];

function partDigest(part: Part): string {
  if ("thinking" in part) return `(${part.thinking})`;
  return "saying" in part ? part.saying : `${callText(part.tool, part.input)} [${part.call.slice(-6)}]`;
}
