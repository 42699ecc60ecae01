import type { TaskKind, TaskView } from "@colloquy/schema";

/** Open tasks are split into those that are ready and those that depend on others. */
export interface Columns {
  readonly ready: readonly TaskView[];
  readonly notReady: readonly TaskView[];
  readonly in_progress: readonly TaskView[];
  readonly blocked: readonly TaskView[];
  readonly closed: readonly TaskView[];
}

/** Its open dependencies. `tasks` holds every task that is not closed, so a missing one is closed. */
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

/** Matches the kind, and every word in title, description, section or id. */
export function fitting(tasks: readonly TaskView[], kind: TaskKind | "all", text: string): readonly TaskView[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return tasks.filter((task) => {
    if (kind !== "all" && task.kind !== kind) return false;
    const all = [task.title, task.description, task.key ?? "", task.id].join(" ").toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** When it entered its column: closed, taken, released or created. */
export function since(task: TaskView): number {
  const last = task.status === "in_progress" ? task.history.findLast(({ what }) => what === "taken") : undefined;
  return Date.parse(task.closedAt ?? last?.at ?? task.createdAt);
}

/** Why it failed the last time. */
export const lastFailure = ({ history }: TaskView): string | undefined => history.findLast(({ what }) => what === "failed")?.why;
