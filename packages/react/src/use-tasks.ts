import { type InProject, NO_TASKS, type Tasks } from "@colloquy/client";
import type { TaskView } from "@colloquy/schema";
import { useClient, useObservable } from "./provider.ts";
import { NOTHING, useProjectId } from "./use-project.ts";

/** A task and its project. */
export type ProjectTask = InProject<TaskView>;

/** The tasks of a project, kept up to date. Without a project: of the only one served. */
export function useTasks(named?: string): Tasks {
  const { stores } = useClient();
  const projectId = useProjectId(named);
  return useObservable<Tasks | undefined>(projectId === "" ? NOTHING : stores.project(projectId).tasks) ?? NO_TASKS;
}

/** The loaded tasks of every project. */
export const useAllTasks = (): readonly ProjectTask[] => useObservable(useClient().stores.tasks);
