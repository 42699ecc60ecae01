import type { Tree } from "@colloquy/core";
import type { TreeEvent } from "@colloquy/schema";
import { refOf, type RunRef } from "../engine/run-ref.ts";

/** The runs that a commit may have made ready; `tree` is the state after it. */
export function touched(tree: Tree, events: readonly TreeEvent[]): readonly RunRef[] {
  const { rootId } = tree;
  return events.flatMap((event): RunRef[] => {
    const { dialog } = event;
    if (event.type === "message.added") return event.to.map((agent) => ({ rootId, dialog, agent }));
    if (event.type === "ask.opened") return [{ rootId, dialog: event.to, agent: event.recipient }];
    // A limit question that closed, or a call that several waited for, unblocks others too.
    if (event.type === "question.closed") return [...tree.ready.keys()].map((key) => refOf(`${rootId}/${key}`));
    // When one recipient of a message ends or waits, the next one starts.
    const agents = tree.dialogs.get(dialog)?.agents ?? [];
    if ("agent" in event && event.agent !== undefined && agents.length === 1) return [{ rootId, dialog, agent: event.agent }];
    return agents.map((agent) => ({ rootId, dialog, agent }));
  });
}
