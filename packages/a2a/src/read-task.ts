import { type Task, TaskState, type TaskStatus } from "@a2a-js/sdk";
import { TaskNotFoundError } from "@a2a-js/sdk/errors";
import type { BridgeProject } from "@colloquy/bridge";
import type { RootId } from "@colloquy/schema";
import { taskAt } from "./dialog-messages.ts";
import { malformed } from "./problem.ts";
import { taskId, taskRef, type TaskRef } from "./task-ref.ts";
import { statusOf } from "./task-status.ts";
import { TaskStory } from "./task-story.ts";

/** The place of a task that exists. */
export async function taskNamed(project: BridgeProject, id: string): Promise<TaskRef> {
  if (id === "") throw malformed("The id of the task is missing.");
  const ref = taskRef(id);
  if (!ref) throw new TaskNotFoundError(`There is no task ${id.slice(0, 100)}.`);
  await project.view(ref.rootId);
  return ref;
}

export async function readStory(project: BridgeProject, ref: TaskRef): Promise<TaskStory> {
  const lines = await project.events(ref.rootId as RootId);
  // A number that no task begins with.
  if (taskAt(lines, ref.rootId, ref.from).from !== ref.from) throw new TaskNotFoundError(`There is no task ${taskId(ref)}.`);
  return new TaskStory(project, ref, lines);
}

/** The newest task of a dialog. */
export async function newestStory(project: BridgeProject, rootId: RootId): Promise<TaskStory> {
  const lines = await project.events(rootId);
  return new TaskStory(project, taskAt(lines, rootId, Infinity), lines);
}

export async function taskOf(project: BridgeProject, story: TaskStory, historyLength?: number): Promise<Task> {
  const { ref, artifacts } = story;
  const followed = { state: TaskState.TASK_STATE_COMPLETED, message: undefined, timestamp: story.at };
  const status: TaskStatus = story.isFollowed ? followed : await statusOf(project, ref);
  const history = historyLength === 0 ? [] : story.history.slice(historyLength === undefined ? 0 : -historyLength);
  return { id: taskId(ref), contextId: ref.rootId, status, artifacts, history, metadata: undefined };
}

export const readTask = async (project: BridgeProject, id: string): Promise<Task> =>
  taskOf(project, await readStory(project, await taskNamed(project, id)));
