import type { TreeEvent, TreeEventOf } from "@colloquy/schema";
import type { Renaming } from "./renaming.ts";

export interface Copied {
  readonly rename: Renaming;
  /** Is this task still this project's, so that the copy may go on with it? */
  readonly keepsTask: (task: NonNullable<TreeEventOf<"dialog.created">["task"]>) => boolean;
}

/**
 * A line's events as they are in a copy. A copy does not go on with a task that another tree has, and its questions do not close with those
 * of other trees.
 */
export function copiedEvents(events: readonly TreeEvent[], { rename, keepsTask }: Copied): TreeEvent[] {
  return (JSON.parse(rename(JSON.stringify(events))) as TreeEvent[]).map((event) => {
    if (event.type === "dialog.created" && event.task && !keepsTask(event.task)) {
      const { task: _, ...rest } = event;
      return rest;
    }
    if (event.type === "question.asked" && event.shares !== undefined) {
      const { shares: _, ...rest } = event;
      return rest;
    }
    return event;
  });
}
