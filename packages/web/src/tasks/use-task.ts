import { projectPath, Refusal, useDoor, useTasks } from "@colloquy/react";
import type { TaskAutonomy, TaskView } from "@colloquy/schema";
import { useEffect, useState } from "react";

/** A task by its id or enough of its digits: from the list, which is live, or fetched where it is too old for that. */
export function useTask(projectId: string, typed: string): TaskView | "not found" | undefined {
  const door = useDoor();
  const { tasks } = useTasks(projectId);
  const [fetched, setFetched] = useState<{ readonly typed: string; readonly task: TaskView | "not found" }>();
  const id = fetched?.typed === typed && fetched.task !== "not found" ? fetched.task.id : typed;
  const known = tasks?.find((task) => task.id === id);
  const isWanted = tasks !== undefined && !known;
  useEffect(() => {
    if (!isWanted) return;
    door
      .read<TaskView>(`${projectPath(projectId)}/tasks/${encodeURIComponent(typed)}`)
      .then((task) => setFetched({ typed, task }))
      // Anything else passes, and is tried again with the list.
      .catch((error: unknown) => error instanceof Refusal && error.code === "not_found" && setFetched({ typed, task: "not found" }));
  }, [isWanted, door, projectId, typed]);
  return known ?? (fetched?.typed === typed ? fetched.task : undefined);
}

/** These tasks, also those that were closed long ago; in this order. */
export function useNamedTasks(projectId: string, ids: readonly string[]): readonly TaskView[] {
  const door = useDoor();
  const { tasks } = useTasks(projectId);
  const [fetched, setFetched] = useState<readonly TaskView[]>([]);
  const missing = tasks === undefined ? "" : ids.filter((id) => !tasks.some((task) => task.id === id)).join(" ");
  useEffect(() => {
    if (missing === "") return;
    Promise.all(missing.split(" ").map((id) => door.read<TaskView>(`${projectPath(projectId)}/tasks/${id}`)))
      .then(setFetched)
      .catch(() => undefined); // the connection bar says so
  }, [door, projectId, missing]);
  return ids.flatMap((id) => tasks?.find((task) => task.id === id) ?? fetched.find((task) => task.id === id) ?? []);
}

/** How far its agents go by themselves; read again whenever something happened to the task. */
export function useAutonomy(projectId: string, task: TaskView): TaskAutonomy | undefined {
  const door = useDoor();
  const [found, setFound] = useState<{ readonly id: string; readonly autonomy: TaskAutonomy }>();
  useEffect(() => {
    let isGone = false;
    door
      .read<TaskAutonomy>(`${projectPath(projectId)}/tasks/${task.id}/autonomy`)
      .then((autonomy) => isGone || setFound({ id: task.id, autonomy }))
      .catch(() => undefined); // the connection bar says so
    return () => {
      isGone = true;
    };
  }, [door, projectId, task]);
  return found?.id === task.id ? found.autonomy : undefined;
}
