import type { TreeEvent } from "@colloquy/schema";
import { hash } from "./hash.ts";

/** The same command again has the same hash; another one under the same `msgId` has not. */
export function receiptHash(event: TreeEvent): string {
  switch (event.type) {
    case "message.added":
      return hash(
        `send ${event.dialog} ${event.to.join(",")} ${event.now ?? ""} ${event.interrupt ?? ""} ${(event.images ?? []).map((image) => image.name).join(",")} ${event.content}`,
      );
    case "phase.set":
      return hash(`phase ${event.dialog} ${event.phase} ${event.why ?? ""} ${event.summary ?? ""}`);
    case "dialog.renamed":
      return hash(`rename ${event.dialog} ${event.title}`);
    case "question.closed":
      return hash(`close ${event.question} ${event.verdict ?? event.as} ${event.content ?? ""} ${(event.choice ?? []).join(" ")}`);
    case "question.discussed":
      return hash(`discuss ${event.question} ${event.content}`);
    case "document.changed":
      return hash(`document ${event.path} ${event.content ?? ""}`);
    case "reminder.added":
      return hash(`remind ${event.dialog} ${event.content}`);
    case "reminder.updated":
      return hash(`remind ${event.dialog} ${event.reminder} ${event.content}`);
    case "reminder.deleted":
      return hash(`forget ${event.dialog} ${event.reminder}`);
    default:
      return hash(`${event.type} ${event.dialog}`);
  }
}
