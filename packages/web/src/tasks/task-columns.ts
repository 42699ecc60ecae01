import type { TaskKind, TaskView } from "@colloquy/schema";

/** Open ones are apart: those that somebody may take, and those that come after other tasks. */
export interface Columns {
  readonly ready: readonly TaskView[];
  readonly notReady: readonly TaskView[];
  readonly in_progress: readonly TaskView[];
  readonly blocked: readonly TaskView[];
  readonly closed: readonly TaskView[];
}

/** The tasks that it still waits for. All that is not closed is among `tasks`, so what is missing there is closed. */
export const openDependencies = (task: TaskView, tasks: readonly TaskView[]): readonly TaskView[] =>
  tasks.filter(({ id, status }) => status !== "closed" && task.dependsOn.includes(id));

export function columnsOf(tasks: readonly TaskView[], shown: readonly TaskView[] = tasks): Columns {
  const open = new Set(tasks.filter(({ status }) => status !== "closed").map(({ id }) => id));
  const at = (status: TaskView["status"]) => shown.filter((task) => task.status === status);
  const isReady = ({ dependsOn }: TaskView) => dependsOn.every((id) => !open.has(id));
  return {
    ready: at("open").filter(isReady),
    notReady: at("open").filter((task) => !isReady(task)),
    in_progress: at("in_progress"),
    blocked: at("blocked"),
    closed: at("closed"),
  };
}

/** By kind, and by words that are all in its title, description, section or id. */
export function fitting(tasks: readonly TaskView[], kind: TaskKind | "all", text: string): readonly TaskView[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return tasks.filter((task) => {
    if (kind !== "all" && task.kind !== kind) return false;
    const all = [task.title, task.description, task.key ?? "", task.id].join(" ").toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** When it came to be where it is: closed, taken, let go, or made. */
export function since(task: TaskView): number {
  const last = task.status === "in_progress" ? task.history.findLast(({ what }) => what === "taken") : undefined;
  return Date.parse(task.closedAt ?? last?.at ?? task.createdAt);
}

/** Why it failed the last time. */
export const lastFailure = ({ history }: TaskView): string | undefined => history.findLast(({ what }) => what === "failed")?.why;
