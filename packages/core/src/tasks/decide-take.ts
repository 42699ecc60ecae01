import { type AgentId, mainDialogOf, type ProjectEvent, type RootId, type TreeEvent } from "@colloquy/schema";
import { headlineOf } from "../commands/title.ts";
import { endTurn } from "../asks/ask.ts";
import { Draft } from "../state/draft.ts";
import { type Dialog, mainDialog, type Tree, turnsOf } from "../state/tree.ts";
import type { Texts } from "../texts/texts.ts";
import { type Task, taskSource } from "./task.ts";

/** The name under which the log records that tasks were assigned to agents. */
const ORCHESTRATOR = "orchestrator";

/** A Taskdoc file that is written when the task is taken. */
export interface TaskFile {
  readonly path: string;
  readonly from: string;
  readonly to: string;
  readonly content: string;
}

/** An agent takes a task, and the files of its Taskdoc are written. */
export interface TaskTake {
  readonly task: Task;
  readonly agent: AgentId;
  readonly files: readonly TaskFile[];
}

/** The events of taking a task, in one commit. */
export interface Taking {
  readonly project: readonly ProjectEvent[];
  readonly tree: readonly TreeEvent[];
}

/** The folder of a task's Taskdoc: a short title, and digits that no other task has. */
export function taskFolder({ title, id }: Pick<Task, "title" | "id">): string {
  const words = title
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return `tasks/${words === "" ? "task" : words}-${id.slice(-6)}.tsk/`;
}

/** The content of a task's `config.json`. */
export const taskConfig = (task: Task, hilConfig: unknown): string =>
  `${JSON.stringify({ taskId: task.id, kind: task.kind, ...taskSource(task), hilConfig }, undefined, 2)}\n`;

/** An agent takes a task for the first time. One commit creates its main dialog and Taskdoc and changes the task. */
export function decideFirstTake({ task, agent, files }: TaskTake, rootId: RootId, texts: Texts): Taking {
  const here = { dialog: mainDialogOf(rootId), course: 1 };
  return {
    project: [
      { type: "tree.created", rootId, by: ORCHESTRATOR },
      { type: "task.taken", task: task.id, agent, dialog: rootId },
    ],
    tree: [
      {
        type: "dialog.created",
        ...here,
        agent,
        title: headlineOf(task.title),
        taskDocPath: taskFolder(task),
        by: ORCHESTRATOR,
        task: { id: task.id, kind: task.kind, ...(task.key !== undefined && { key: task.key }) },
      },
      ...files.map((file): TreeEvent => ({ type: "document.changed", ...here, ...file, by: ORCHESTRATOR })),
      { type: "message.added", ...here, by: ORCHESTRATOR, content: texts.takeTask(task), to: [agent], opens: [agent], task: true },
    ],
  };
}

/**
 * The task is taken again: the same dialog continues with every question and answer. `agent` is the dialog's own agent, or a new one if
 * that has left the team; then the dialog changes hands.
 */
export function decideNextTake({ task, agent, files }: TaskTake, tree: Tree, texts: Texts): Taking {
  const main = mainDialog(tree);
  if (!main) return { project: [], tree: [] };
  const draft = new Draft(tree, tree.at);
  if (agent !== main.agent) reassign(draft, main, agent, texts);
  const here = { dialog: main.id, course: main.course };
  // The agent that asked has already read the answers given in this course.
  const answered = (tree.task?.answered ?? []).filter((one) => agent !== main.agent || one.course !== main.course);
  const why = tree.task?.report?.status === "failed" && !tree.task.report.asks ? tree.task.report.summary : undefined;
  return {
    project: [{ type: "task.taken", task: task.id, agent, dialog: tree.rootId }],
    tree: [
      ...draft.events,
      ...(main.status === "completed" ? [{ type: "dialog.reopened", ...here, by: ORCHESTRATOR } as const] : []),
      ...files.map((file): TreeEvent => ({ type: "document.changed", ...here, ...file, by: ORCHESTRATOR })),
      {
        type: "message.added",
        ...here,
        by: ORCHESTRATOR,
        content: texts.takeAgain(task, answered, why),
        to: [agent],
        opens: [agent],
        task: true,
      },
    ],
  };
}

/** Ends what the former agent left open, because it cannot continue and would block the new agent. */
function reassign(draft: Draft, main: Dialog, agent: AgentId, texts: Texts): void {
  for (const ref of turnsOf(draft.tree, main)) if (ref.agent === main.agent) endTurn(draft, ref, texts.agentLeft(main.agent));
  draft.add({ type: "dialog.reassigned", ...draft.here(main.id), agent });
}
