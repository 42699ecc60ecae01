import type { AgentId, ProjectEvent, QuestionSummary, RootId, TaskId, TaskKind, TaskStatus, TaskView } from "@colloquy/schema";
import { iso } from "../time.ts";
import { PersistentMap } from "../persistent-map.ts";
import type { Tree } from "../tree.ts";

/** A work item, as far as it is stored. Whether it is blocked follows from its questions, so the two cannot disagree. */
export interface Task {
  readonly id: TaskId;
  readonly kind: TaskKind;
  readonly title: string;
  readonly description: string;
  readonly key: string | undefined;
  readonly dependsOn: readonly TaskId[];
  readonly from: TaskId | undefined;
  readonly createdAt: number;
  readonly createdBy: string;
  /** Its main dialog, from the first time that it was taken. */
  readonly dialog: RootId | undefined;
  /** Who has taken it, as long as nobody has let it go. */
  readonly assignee: AgentId | undefined;
  /** How often it was let go as failed, since a person last looked. */
  readonly failures: number;
  readonly closed: { readonly at: number; readonly by: string | undefined; readonly summary: string } | undefined;
  readonly history: readonly { readonly at: number; readonly what: string; readonly by?: string; readonly why?: string }[];
}

/** All tasks, and which of them are not closed: few, however many there were. */
export interface Tasks {
  readonly all: PersistentMap<Task>;
  readonly open: PersistentMap<true>;
  readonly byDialog: PersistentMap<TaskId>;
}

export const noTasks = (): Tasks => ({ all: PersistentMap.empty(), open: PersistentMap.empty(), byDialog: PersistentMap.empty() });

type TaskEvent = Extract<ProjectEvent, { type: `task.${string}` }>;

export const isTaskEvent = (event: ProjectEvent): event is TaskEvent => event.type.startsWith("task.");

/** A question of a feedback, a PRD section or a plan is open: nothing is created from it meanwhile. */
export const isAskedAbout = ({ task, openQuestions, questions }: Pick<Tree, "task" | "openQuestions" | "questions">): boolean =>
  task !== undefined &&
  task.kind !== "task" &&
  [...openQuestions.keys()].some((id) => ["question", "confirmation"].includes(questions.get(id)?.kind ?? ""));

/** So much of its past is kept with a task; the log has all of it. */
const HISTORY = 50;

export function applyToTasks(tasks: Tasks, event: TaskEvent, at: number): Tasks {
  if (event.type === "task.created") {
    const task: Task = {
      id: event.task,
      kind: event.kind,
      title: event.title,
      description: event.description,
      key: event.key,
      dependsOn: event.dependsOn,
      from: event.from,
      createdAt: at,
      createdBy: event.by,
      dialog: undefined,
      assignee: undefined,
      failures: 0,
      closed: undefined,
      history: [{ at, what: "created", by: event.by }],
    };
    return { ...tasks, all: tasks.all.set(task.id, task), open: tasks.open.set(task.id, true) };
  }
  const task = tasks.all.get(event.task);
  if (!task) return tasks;
  const remembered = (what: string, more: { by?: string; why?: string } = {}) => [...task.history, { at, what, ...more }].slice(-HISTORY);
  const put = (changes: Partial<Task>): Tasks => ({ ...tasks, all: tasks.all.set(task.id, { ...task, ...changes }) });
  switch (event.type) {
    case "task.changed":
      return put({
        title: event.title ?? task.title,
        description: event.description ?? task.description,
        dependsOn: event.dependsOn ?? task.dependsOn,
        history: remembered("changed", { by: event.by }),
      });
    case "task.taken":
      return {
        ...put({ assignee: event.agent, dialog: event.dialog, history: remembered("taken", { by: event.agent }) }),
        byDialog: tasks.byDialog.set(event.dialog, task.id),
      };
    case "task.released":
      return put({
        assignee: undefined,
        failures: event.failed ? task.failures + 1 : task.failures,
        history: remembered(event.failed ? "failed" : "released", { why: event.why }),
      });
    case "task.closed": {
      const closed = { at, by: event.by, summary: event.summary };
      const history = remembered("closed", { ...(event.by !== undefined && { by: event.by }), why: event.summary });
      return { ...put({ assignee: undefined, closed, history }), open: tasks.open.delete(task.id) };
    }
    case "task.retried":
      return put({ failures: 0, history: remembered("to be tried again", { by: event.by }) });
    default:
      return tasks;
  }
}

/** The open questions of a tree, as the index has them. */
export type QuestionsOf = (dialog: RootId) => readonly Pick<QuestionSummary, "id">[];

/** Derived, in this order: closed, blocked by an open question, taken, open. */
export function statusOf(task: Task, questionsOf: QuestionsOf): TaskStatus {
  if (task.closed) return "closed";
  if (task.dialog !== undefined && questionsOf(task.dialog).length > 0) return "blocked";
  return task.assignee === undefined ? "open" : "in_progress";
}

/** Open, and all that it depends on is closed; oldest first. */
export function readyTasks(tasks: Tasks, questionsOf: QuestionsOf): readonly Task[] {
  return [...tasks.open.keys()]
    .flatMap((id) => tasks.all.get(id) ?? [])
    .filter((task) => statusOf(task, questionsOf) === "open" && task.dependsOn.every((id) => !tasks.open.has(id)))
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/** Taken, and not waiting for people: those count. */
export const tasksAtWork = (tasks: Tasks, questionsOf: QuestionsOf): readonly Task[] =>
  [...tasks.open.keys()].flatMap((id) => tasks.all.get(id) ?? []).filter((task) => statusOf(task, questionsOf) === "in_progress");

/** Where the questions of a task come from, as notifications name it. */
export function taskSource({ id, kind, key }: { readonly id: string; readonly kind: TaskKind; readonly key?: string | undefined }): {
  readonly source: "eval" | "prd" | "plan" | "execute";
  readonly sourceId: string;
} {
  if (kind === "prd") return { source: "prd", sourceId: key ?? id };
  return { source: ({ feedback: "eval", plan: "plan", task: "execute" } as const)[kind], sourceId: id };
}

export function taskView(task: Task, questionsOf: QuestionsOf): TaskView {
  const status = statusOf(task, questionsOf);
  return {
    id: task.id,
    kind: task.kind,
    title: task.title,
    description: task.description,
    ...(task.key !== undefined && { key: task.key }),
    status,
    assignee: task.assignee ?? null,
    dependsOn: [...task.dependsOn],
    blockReason: status === "blocked" ? "Open Question" : null,
    questions: task.dialog === undefined ? [] : questionsOf(task.dialog).map((one) => one.id),
    dialogs: task.dialog === undefined ? [] : [task.dialog],
    ...taskSource(task),
    ...(task.from !== undefined && { from: task.from }),
    createdAt: iso(task.createdAt),
    createdBy: task.createdBy,
    failures: task.failures,
    ...(task.closed && { closedAt: iso(task.closed.at), summary: task.closed.summary }),
    history: task.history.map(({ at, ...more }) => ({ at: iso(at), ...more })),
  };
}
