import { Refused, useApi, useTasks } from "@colloquy/react";
import type { TaskAutonomy, TaskView } from "@colloquy/schema";
import { useEffect, useState } from "react";

/** A task by its id or a unique part of it: from the live list, or fetched if it is older. */
export function useTask(projectId: string, typed: string): TaskView | "not found" | undefined {
  const { tasks: taskApi } = useApi(projectId);
  const { tasks } = useTasks(projectId);
  const [fetched, setFetched] = useState<{ readonly typed: string; readonly task: TaskView | "not found" }>();
  const id = fetched?.typed === typed && fetched.task !== "not found" ? fetched.task.id : typed;
  const known = tasks?.find((task) => task.id === id);
  const isWanted = tasks !== undefined && !known;
  useEffect(() => {
    if (!isWanted) return;
    taskApi
      .get(typed)
      .then((task) => setFetched({ typed, task }))
      // Other errors are temporary; the next change of the list retries.
      .catch((error: unknown) => error instanceof Refused && error.code === "not_found" && setFetched({ typed, task: "not found" }));
  }, [isWanted, taskApi, typed]);
  return known ?? (fetched?.typed === typed ? fetched.task : undefined);
}

/** These tasks in this order, including ones that were closed long ago. */
export function useNamedTasks(projectId: string, ids: readonly string[]): readonly TaskView[] {
  const { tasks: taskApi } = useApi(projectId);
  const { tasks } = useTasks(projectId);
  const [fetched, setFetched] = useState<readonly TaskView[]>([]);
  const missing = tasks === undefined ? "" : ids.filter((id) => !tasks.some((task) => task.id === id)).join(" ");
  useEffect(() => {
    if (missing === "") return;
    Promise.all(missing.split(" ").map((id) => taskApi.get(id)))
      .then(setFetched)
      .catch(() => undefined); // the connection bar says so
  }, [taskApi, missing]);
  return ids.flatMap((id) => tasks?.find((task) => task.id === id) ?? fetched.find((task) => task.id === id) ?? []);
}

/** The task's autonomy; reloaded whenever the task changes. */
export function useAutonomy(projectId: string, task: TaskView): TaskAutonomy | undefined {
  const { tasks: taskApi } = useApi(projectId);
  const [found, setFound] = useState<{ readonly id: string; readonly autonomy: TaskAutonomy }>();
  useEffect(() => {
    let isGone = false;
    taskApi
      .autonomy(task.id)
      .then((autonomy) => isGone || setFound({ id: task.id, autonomy }))
      .catch(() => undefined); // the connection bar says so
    return () => {
      isGone = true;
    };
  }, [taskApi, task]);
  return found?.id === task.id ? found.autonomy : undefined;
}
