import { type ListTasksRequest, type ListTasksResponse, type Task, TaskState } from "@a2a-js/sdk";
import type { BridgeProject } from "@colloquy/bridge";
import type { RootId } from "@colloquy/schema";
import { malformed } from "./problem.ts";
import { MESSAGE } from "./task-ref.ts";

const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 100;

/** The newest task of each dialog that the caller began, the last changed first. */
export async function listed(
  project: BridgeProject,
  params: ListTasksRequest,
  newest: (rootId: RootId) => Promise<Task>,
): Promise<ListTasksResponse> {
  const { contextId, status, pageToken, historyLength, includeArtifacts, statusTimestampAfter } = params;
  const pageSize = params.pageSize === undefined || params.pageSize === 0 ? DEFAULT_PAGE_SIZE : params.pageSize;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE_SIZE) throw malformed(`pageSize: 1 to ${MAX_PAGE_SIZE}.`);
  const since = statusTimestampAfter === undefined ? undefined : Date.parse(statusTimestampAfter);
  if (Number.isNaN(since)) throw malformed("statusTimestampAfter: no time.");
  const created = (await project.createdAs(MESSAGE.first)).filter(({ rootId }) => contextId === "" || rootId === contextId);
  const tasks: Task[] = [];
  for (const { rootId } of created) {
    const task = await newest(rootId);
    const at = Date.parse(task.status?.timestamp ?? "");
    if (status !== TaskState.TASK_STATE_UNSPECIFIED && task.status?.state !== status) continue;
    if (since === undefined || at > since) tasks.push(task);
  }
  tasks.sort((a, b) => (b.status?.timestamp ?? "").localeCompare(a.status?.timestamp ?? "") || b.id.localeCompare(a.id));
  const before = pageToken === "" ? -1 : tasks.findIndex(({ id }) => id === pageToken);
  if (pageToken !== "" && before < 0) throw malformed("pageToken: unknown. Begin with the first page.");
  const page = tasks.slice(before + 1, before + 1 + pageSize);
  const isLast = before + 1 + page.length >= tasks.length;
  return {
    tasks: page.map((task) => ({
      ...task,
      artifacts: includeArtifacts ? task.artifacts : [],
      history: historyLength === 0 ? [] : task.history.slice(historyLength === undefined ? 0 : -historyLength),
    })),
    nextPageToken: isLast ? "" : (page.at(-1)?.id ?? ""),
    pageSize,
    totalSize: tasks.length,
  };
}
