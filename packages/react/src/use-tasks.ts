import type { TaskView } from "@colloquy/schema";
import type { Door } from "./door.ts";
import { sharedOf, useDoor, useShared } from "./provider.ts";
import { Shared, soon } from "./shared.ts";
import { projectPath, projectsOf, useProjectId } from "./use-project.ts";

export interface Tasks {
  /** Undefined until they are known. Every one that is not closed, oldest first, and the last ones that were closed. */
  readonly tasks: readonly TaskView[] | undefined;
  /** More were closed before those. */
  readonly hasMore: boolean;
  readonly more: () => void;
}

const PAGE = 100;

/** The tasks of a project, each as it is now. */
export function useTasks(named?: string): Tasks {
  const projectId = useProjectId(named);
  return useShared(tasksOf(useDoor(), projectId));
}

function tasksOf(door: Door, projectId: string): Shared<Tasks> {
  const nothing: Tasks = { tasks: undefined, hasMore: false, more: () => undefined };
  return sharedOf(door, `tasks ${projectId}`, () => new Shared(nothing, (self) => follow(door, projectId, self)));
}

/** A task and the project that it belongs to. */
export interface ProjectTask extends TaskView {
  readonly projectId: string;
}

/** The tasks of every project, as far as they are loaded. */
export const useAllTasks = (): readonly ProjectTask[] => useShared(allTasksOf(useDoor()));

function allTasksOf(door: Door): Shared<readonly ProjectTask[]> {
  return sharedOf(door, "all tasks", () => {
    return new Shared<readonly ProjectTask[]>([], (self) => {
      const projects = projectsOf(door);
      const watched = new Map<string, () => void>();
      const gather = () => {
        self.set(
          [...watched.keys()].flatMap((projectId) => (tasksOf(door, projectId).get().tasks ?? []).map((task) => ({ ...task, projectId }))),
        );
      };
      const watch = () => {
        for (const { id } of projects.get() ?? []) if (!watched.has(id)) watched.set(id, tasksOf(door, id).subscribe(gather));
        gather();
      };
      const stop = projects.subscribe(watch);
      watch();
      return () => {
        for (const end of [stop, ...watched.values()]) end();
      };
    });
  });
}

function follow(door: Door, projectId: string, self: Shared<Tasks>): () => void {
  if (projectId === "") return () => undefined;
  const path = `${projectPath(projectId)}/tasks?order=current&limit=${PAGE}`;
  const page = (after?: string) =>
    door.read<{ tasks: TaskView[]; next?: string }>(after === undefined ? path : `${path}&after=${encodeURIComponent(after)}`);
  let next: string | undefined;
  /** What was told while the list was on its way: newer than what the list says. */
  let told: TaskView[] | undefined;

  const more = soon(async () => {
    if (next === undefined) return;
    const found = await page(next).catch(() => undefined);
    if (!found) return;
    next = found.next;
    const known = self.get().tasks ?? [];
    self.set({ tasks: merged([...found.tasks, ...known]), hasMore: next !== undefined, more });
  }, 0);

  const load = soon(async () => {
    told = [];
    try {
      const all: TaskView[] = [];
      let found = await page();
      all.push(...found.tasks);
      // All that is not closed belongs to the beginning.
      while (found.next !== undefined && all.at(-1)?.status !== "closed") {
        found = await page(found.next);
        all.push(...found.tasks);
      }
      next = found.next;
      self.set({ tasks: merged([...all, ...told]), hasMore: next !== undefined, more });
    } catch {
      // The connection bar says so; it is read again when the server is back.
    } finally {
      told = undefined;
    }
  }, 0);

  load();
  const stops = [
    door.watchProject(projectId, (packet) => {
      if (packet === "resync") return load();
      if (packet.type !== "task.updated") return;
      told?.push(packet.task);
      const { tasks } = self.get();
      if (tasks) self.set({ ...self.get(), tasks: merged([...tasks, packet.task]) });
    }),
    door.onConnection(() => door.connection().state === "live" && load()),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Each once, as it was said last, in the order of the list. */
function merged(said: readonly TaskView[]): readonly TaskView[] {
  const byId = new Map(said.map((task) => [task.id, task]));
  return [...byId.values()].toSorted((a, b) => {
    if (a.closedAt !== undefined && b.closedAt !== undefined) return b.closedAt.localeCompare(a.closedAt);
    if (a.closedAt !== undefined || b.closedAt !== undefined) return a.closedAt === undefined ? -1 : 1;
    return a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id);
  });
}
