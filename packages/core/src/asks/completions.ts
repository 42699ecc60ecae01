import type { DialogId, TreeEvent } from "@colloquy/schema";
import type { Tree } from "../state/tree.ts";

/** How many dialogs, main and side, a commit completed. A side dialog completes without an event of its own. */
export function completions(before: Tree, after: Tree, events: readonly TreeEvent[]): number {
  let count = 0;
  for (const id of concerned(before, after, events))
    if (after.dialogs.get(id)?.status === "completed" && before.dialogs.get(id)?.status !== "completed") count += 1;
  return count;
}

function concerned(before: Tree, after: Tree, events: readonly TreeEvent[]): Iterable<DialogId> {
  const ids = new Set<DialogId>();
  for (const event of events) {
    if (event.type === "dialog.completed") return [...after.dialogs.values()].map(({ id }) => id); // it completes its side dialogs too
    ids.add(event.dialog);
    const served = event.type === "ask.answered" ? (before.asks.get(event.ask) ?? after.asks.get(event.ask))?.to : undefined;
    if (served !== undefined) ids.add(served);
  }
  return ids;
}
