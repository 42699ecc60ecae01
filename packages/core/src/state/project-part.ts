import type { LimitsConfig, ProjectEvent, TreeEvent } from "@colloquy/schema";
import { dayEvents } from "../gate/day.ts";
import type { Project } from "./project.ts";
import { sectionEvents } from "../tasks/section.ts";
import { taskEvents } from "../tasks/task-run.ts";
import type { Tree } from "./tree.ts";

/** What a commit of a tree means for the whole project: events for the project's stream, in the same commit. */
export const projectPart = (
  project: Pick<Project, "tasks">,
  before: Tree,
  after: Tree,
  events: readonly TreeEvent[],
  at: number,
  limits: LimitsConfig,
): readonly ProjectEvent[] => [
  ...taskEvents(project.tasks, before, after, events),
  ...sectionEvents(after, events),
  ...grantsIn(before, events),
  ...noticesIn(before, events),
  ...dayEvents(before, before.rootId, events, at, limits.costPerDay !== undefined),
];

/** How much of a notice is kept where people find it. */
const SHOWN = 4_000;

const noticesIn = ({ rootId }: Tree, events: readonly TreeEvent[]): ProjectEvent[] =>
  events.flatMap((event): ProjectEvent[] => {
    if (event.type !== "notice.added") return [];
    const { notice, dialog, agent, class: kind, headline, text, source, sourceId } = event;
    return [{ type: "notice.given", notice, rootId, dialog, agent, class: kind, headline, text: text.slice(0, SHOWN), source, sourceId }];
  });

/** A grant: for the dialog, its tree (the task's), or the project. */
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
