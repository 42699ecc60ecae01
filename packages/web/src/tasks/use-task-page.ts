import { type ProjectQuestion, useActions, useApi, useConnection, useQuestions, useTasks } from "@colloquy/react";
import type { TaskView } from "@colloquy/schema";
import { useMemo, useState } from "react";
import { useWords } from "../state/appearance.ts";
import { useFetched } from "../state/use-fetched.ts";
import { lastFailure, openDependencies } from "./task-columns.ts";
import { useNamedTasks } from "./use-task.ts";

/** What the page of a task shows. */
export function useTaskPage(projectId: string, task: TaskView) {
  const { open = [] } = useQuestions();
  return {
    asked: open.filter(({ id }) => task.questions.includes(id)),
    decided: useDecided(projectId, task),
    failure: task.failures > 0 && task.status !== "closed" ? lastFailure(task) : undefined,
    summary: task.status === "closed" ? (task.summary ?? "") : "",
    rootId: task.dialogs[0],
  };
}

/** What can be done with a task. */
export function useTaskHeader(projectId: string, task: TaskView) {
  const words = useWords();
  const actions = useActions(projectId);
  const { role } = useConnection();
  const { tasks = [] } = useTasks(projectId);
  const [from] = useNamedTasks(projectId, task.from === undefined ? [] : [task.from]);
  const [shown, show] = useState<"none" | "edit" | "close" | "like">("none");
  const [problem, setProblem] = useState<string>();
  const hide = () => show("none");
  const close = async (why: string) => {
    hide();
    setProblem(undefined);
    try {
      await actions.tasks.update(task.id, { close: why });
    } catch (error) {
      setProblem(words.refused(error instanceof Error ? error.message : String(error)));
    }
  };
  return {
    tasks,
    /** The task that it came from. */
    from,
    shown,
    show,
    hide,
    close,
    problem,
    mayAct: role !== "viewer",
    isClosed: task.status === "closed",
    isReady: openDependencies(task, tasks).length === 0,
  };
}

export type TaskHeaderState = ReturnType<typeof useTaskHeader>;

/** Its closed questions, newest first; read again whenever the task changes. */
function useDecided(projectId: string, task: TaskView): readonly ProjectQuestion[] {
  const { questions } = useApi(projectId);
  const [rootId] = task.dialogs;
  const [found] = useFetched(
    async () => (rootId === undefined ? [] : (await questions.list({ dialog: rootId, limit: 100 })).questions),
    [questions, rootId, task],
  );
  return useMemo(() => (found ?? []).filter(({ status }) => status !== "open").map((one) => ({ ...one, projectId })), [found, projectId]);
}
