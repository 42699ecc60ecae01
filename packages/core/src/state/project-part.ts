import type { LimitsConfig, ProjectEvent } from "@colloquy/schema";
import { dayEvents } from "../gate/day.ts";
import type { Project } from "./project.ts";
import { sectionEvents } from "../tasks/section.ts";
import { taskEvents } from "../tasks/task-run.ts";
import type { TreeCommit } from "./tree-commit.ts";

/** What a tree's commit means for the project: events for the project's stream in the same commit. */
export const projectPart = (project: Pick<Project, "tasks">, commit: TreeCommit, limits: LimitsConfig): readonly ProjectEvent[] => [
  ...taskEvents(project.tasks, commit),
  ...sectionEvents(commit.after, commit.events),
  ...grantsIn(commit),
  ...noticesIn(commit),
  ...dayEvents(commit, limits.costPerDay !== undefined),
];

/** How many characters of a notice people are shown. */
const MAX_SHOWN_CHARACTERS = 4_000;

const noticesIn = ({ before: { rootId }, events }: TreeCommit): ProjectEvent[] =>
  events.flatMap((event): ProjectEvent[] => {
    if (event.type !== "notice.added") return [];
    const { notice, dialog, agent, class: kind, headline, text, source, sourceId } = event;
    return [
      {
        type: "notice.given",
        notice,
        rootId,
        dialog,
        agent,
        class: kind,
        headline,
        text: text.slice(0, MAX_SHOWN_CHARACTERS),
        source,
        sourceId,
      },
    ];
  });

/** Grants given in this commit: for the dialog, its tree (a task's tree), or the project. */
const grantsIn = ({ before, events }: TreeCommit): ProjectEvent[] =>
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
