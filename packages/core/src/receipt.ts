import type { TreeEvent } from "@colloquy/schema";
import { hash } from "./hash.ts";

/** The same command again has the same hash; another one under the same `msgId` has not. */
export function receiptHash(event: TreeEvent): string {
  switch (event.type) {
    case "message.added":
      return hash(`send ${event.dialog} ${event.content}`);
    case "dialog.renamed":
      return hash(`rename ${event.dialog} ${event.title}`);
    default:
      return hash(`${event.type} ${event.dialog}`);
  }
}
