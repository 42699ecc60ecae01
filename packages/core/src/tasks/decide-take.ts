import { type AgentId, mainDialogOf, type ProjectEvent, type RootId, type TreeEvent } from "@colloquy/schema";
import { headlineOf } from "../commands/title.ts";
import { endTurn } from "../asks/ask.ts";
import { Draft } from "../state/draft.ts";
import { type Dialog, mainDialog, type Tree, turnsOf } from "../state/tree.ts";
import type { Texts } from "../texts/texts.ts";
import { type Task, taskSource } from "./task.ts";

/** Who assigns tasks to agents, in the log. */
export const ORCHESTRATOR = "orchestrator";

/** A file of the Taskdoc that is written when the task is taken. */
export interface TaskFile {
  readonly path: string;
  readonly from: string;
  readonly to: string;
  readonly content: string;
}

export interface Taking {
  readonly project: readonly ProjectEvent[];
  readonly tree: readonly TreeEvent[];
}

/** The folder of its Taskdoc: a short title, and digits that no other task has. */
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

/** An agent takes a task for the first time: its main dialog, its Taskdoc and the task itself, in one commit. */
export function decideFirstTake(task: Task, agent: AgentId, rootId: RootId, files: readonly TaskFile[], texts: Texts): Taking {
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
 * It is taken again: the same dialog continues, once, with every question and answer. `agent` is the dialog's own, or another one if that
 * has left the team: then the dialog becomes that agent's.
 */
export function decideNextTake(task: Task, agent: AgentId, tree: Tree, files: readonly TaskFile[], texts: Texts): Taking {
  const main = mainDialog(tree);
  if (!main) return { project: [], tree: [] };
  const draft = new Draft(tree, tree.at);
  if (agent !== main.agent) reassign(draft, main, agent, texts);
  const here = { dialog: main.id, course: main.course };
  // Answers of this course are already in the dialog, for the agent that asked.
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

/** What the former agent left open cannot continue: it ends here, so that it does not block the next one. */
function reassign(draft: Draft, main: Dialog, agent: AgentId, texts: Texts): void {
  for (const ref of turnsOf(draft.tree, main)) if (ref.agent === main.agent) endTurn(draft, ref, texts.agentLeft(main.agent));
  draft.add({ type: "dialog.reassigned", ...draft.here(main.id), agent });
}
