import type { LimitsConfig, ProjectEvent, TreeEvent } from "@colloquy/schema";
import { dayEvents } from "./day.ts";
import type { Tree } from "./tree.ts";

/** What a commit of a tree means for the project as a whole: it belongs to the project's stream, in the same commit. */
export const projectPart = (before: Tree, events: readonly TreeEvent[], at: number, limits: LimitsConfig): readonly ProjectEvent[] => [
  ...grantsIn(before, events),
  ...dayEvents(before, before.rootId, events, at, limits.costPerDay !== undefined),
];

/** Approved for more than once: for the dialog, its tree (which is the task's), or the project. */
const grantsIn = (before: Tree, events: readonly TreeEvent[]): ProjectEvent[] =>
  events.flatMap((event): ProjectEvent[] => {
    if (event.type !== "question.closed" || !event.grant) return [];
    const { pattern, until, scope } = event.grant;
    return [
      {
        type: "grant.given",
        grant: event.question,
        pattern,
        ...(until !== undefined && { until }),
        by: event.by ?? "",
        ...(scope !== "project" && { rootId: before.rootId }),
        ...(scope === "dialog" && { dialog: event.dialog }),
      },
    ];
  });
