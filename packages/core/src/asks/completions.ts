import type { DialogId, TreeEvent } from "@colloquy/schema";
import type { Tree } from "../state/tree.ts";

/** How many dialogs, main and side, a commit completed. A side dialog completes without an event of its own. */
export function completions(before: Tree, after: Tree, events: readonly TreeEvent[]): { readonly all: number; readonly side: number } {
  const count = { all: 0, side: 0 };
  for (const id of concerned(before, after, events)) {
    const dialog = after.dialogs.get(id);
    if (dialog?.status !== "completed" || before.dialogs.get(id)?.status === "completed") continue;
    count.all += 1;
    if (dialog.side) count.side += 1;
  }
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
