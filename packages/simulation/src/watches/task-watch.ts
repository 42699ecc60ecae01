import { applyToProject, emptyProject, type Project, statusOf, type Task, taskView, type Tree } from "@colloquy/core";
import type { ProjectEvent, RootId, TaskStatus, TaskView } from "@colloquy/schema";
import { demand } from "../broken.ts";

/** The project's own stream, folded independently: what may happen to a task, and what may not. */
export class TaskWatch {
  readonly #trees: ReadonlyMap<RootId, Tree>;
  #project: Project = emptyProject();

  constructor(trees: ReadonlyMap<RootId, Tree>) {
    this.#trees = trees;
  }

  get all(): readonly Task[] {
    return [...this.#project.tasks.all.values()];
  }

  /** Each task as it should be shown. */
  views(): readonly TaskView[] {
    return this.all.map((task) => taskView(task, this.#questionsOf));
  }

  statusOf(task: Task): TaskStatus {
    return statusOf(task, this.#questionsOf);
  }

  hear(event: ProjectEvent, atMs: number): void {
    this.#demandPossible(event);
    this.#project = applyToProject(this.#project, event, atMs);
  }

  #demandPossible(event: ProjectEvent): void {
    const { tasks } = this.#project;
    const task = "task" in event ? tasks.all.get(event.task) : undefined;
    const fine = (is: boolean, what: string) => demand(is, "SI14", () => `task ${"task" in event ? event.task : ""} ${what}`);
    switch (event.type) {
      case "task.created":
        return fine(!task, "is created twice");
      case "task.taken": {
        fine(task !== undefined && !task.closed, "is taken, and is closed or unknown");
        fine(task?.assignee === undefined, "is taken by two");
        fine(task?.dialog === undefined || task.dialog === event.dialog, "is taken in a second dialog");
        fine([undefined, event.task].includes(tasks.byDialog.get(event.dialog)), "is taken in the dialog of another one");
        fine(task?.dependsOn.every((id) => tasks.all.get(id)?.closed) === true, "is taken before what it depends on is closed");
        return fine(this.#questionsOf(event.dialog).length === 0, "is taken while it is blocked by a question");
      }
      case "task.released":
        return fine(task?.assignee !== undefined && !task.closed, "is let go, and nobody has it");
      case "task.closed":
        return fine(task !== undefined && !task.closed, "is closed twice");
      default:
        return;
    }
  }

  readonly #questionsOf = (dialog: RootId) =>
    [...(this.#trees.get(dialog)?.openQuestions.keys() ?? [])].map((id) => ({ id })) as unknown as ReturnType<
      Parameters<typeof statusOf>[1]
    >;
}
