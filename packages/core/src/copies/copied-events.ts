import type { TreeEvent } from "@colloquy/schema";
import type { Renaming } from "./renaming.ts";

/**
 * A line's events as they are in a fork. It does not go on with a task that another tree has, and its questions do not close with those of
 * other trees.
 */
export function copiedEvents(events: readonly TreeEvent[], rename: Renaming): TreeEvent[] {
  return (JSON.parse(rename(JSON.stringify(events))) as TreeEvent[]).map((event) => {
    if (event.type === "dialog.created" && event.task) {
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
