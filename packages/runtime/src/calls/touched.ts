import type { Tree } from "@colloquy/core";
import type { TreeEvent } from "@colloquy/schema";
import { refOf, type RunRef } from "../engine/run-ref.ts";

/** The runs that a commit may have set in motion; `tree` is the one after it. */
export function touched(tree: Tree, events: readonly TreeEvent[]): readonly RunRef[] {
  const { rootId } = tree;
  return events.flatMap((event): RunRef[] => {
    const { dialog } = event;
    if (event.type === "message.added") return event.to.map((agent) => ({ rootId, dialog, agent }));
    if (event.type === "ask.opened") return [{ rootId, dialog: event.to, agent: event.recipient }];
    // A limit that is no longer asked about, or a call that several waited for, lets others go on too.
    if (event.type === "question.closed") return [...tree.ready.keys()].map((key) => refOf(`${rootId}/${key}`));
    // Where one has come to an end or waits, the next one of those whom a message addressed begins.
    const agents = tree.dialogs.get(dialog)?.agents ?? [];
    if ("agent" in event && event.agent !== undefined && agents.length === 1) return [{ rootId, dialog, agent: event.agent }];
    return agents.map((agent) => ({ rootId, dialog, agent }));
  });
}
