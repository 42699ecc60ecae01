import {
  type AgentId,
  type CallPart,
  type Entry,
  builtinInputs,
  type ProjectEvent,
  type QuestionSummary,
  type RootId,
  type TaskId,
  type TaskKind,
  type TaskStatus,
  type TaskView,
} from "@colloquy/schema";
import { iso } from "../texts/time.ts";
import { PersistentMap } from "../state/persistent-map.ts";
import type { Tree } from "../state/tree.ts";
import { isSectionAsked, type Sections } from "./section.ts";

/** A work item, as stored. Whether it is blocked is derived from its questions, so the two cannot contradict each other. */
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
  /** Its main dialog, after it was first taken. */
  readonly dialog: RootId | undefined;
  /** The agent that has taken it, until it is released. */
  readonly assignee: AgentId | undefined;
  /** Releases as failed since a person last looked at it. */
  readonly failures: number;
  readonly closed: { readonly at: number; readonly by: string | undefined; readonly summary: string } | undefined;
  readonly history: readonly { readonly at: number; readonly what: string; readonly by?: string; readonly why?: string }[];
}

/** All tasks, and indexes of those that need attention. The indexes stay small, even with many closed tasks. */
export interface Tasks {
  readonly all: PersistentMap<Task>;
  readonly byDialog: PersistentMap<TaskId>;
  /** Not closed. */
  readonly open: PersistentMap<true>;
  /** Taken. */
  readonly taken: PersistentMap<true>;
  /** Not taken, with all dependencies closed: ready, unless it waits for an answer. */
  readonly free: PersistentMap<true>;
  /** For each open task, the open tasks that depend on it. */
  readonly dependents: PersistentMap<readonly TaskId[]>;
}

export const noTasks = (): Tasks => ({
  all: PersistentMap.empty(),
  byDialog: PersistentMap.empty(),
  open: PersistentMap.empty(),
  taken: PersistentMap.empty(),
  free: PersistentMap.empty(),
  dependents: PersistentMap.empty(),
});

/** Stores a changed task and updates the tasks that depend on it. */
function placed(before: Tasks, task: Task): Tasks {
  const all = before.all.set(task.id, task);
  const open = task.closed ? before.open.delete(task.id) : before.open.set(task.id, true);
  const waitsFor = (one: Task | undefined) => (one && !one.closed ? one.dependsOn.filter((id) => before.open.has(id)) : []);
  const [old, now] = [waitsFor(before.all.get(task.id)), waitsFor(task)];
  let { dependents } = before;
  for (const id of old.filter((one) => !now.includes(one))) {
    const left = (dependents.get(id) ?? []).filter((one) => one !== task.id);
    dependents = left.length > 0 ? dependents.set(id, left) : dependents.delete(id);
  }
  for (const id of now) if (!old.includes(id)) dependents = dependents.set(id, [...(dependents.get(id) ?? []), task.id]);
  const freed = task.closed ? (dependents.get(task.id) ?? []) : [];
  if (task.closed) dependents = dependents.delete(task.id);
  let { taken, free } = before;
  for (const one of [task, ...freed.flatMap((id) => all.get(id) ?? [])]) {
    const isTaken = !one.closed && one.assignee !== undefined;
    const isFree = !one.closed && !isTaken && one.dependsOn.every((id) => !open.has(id));
    taken = isTaken ? taken.set(one.id, true) : taken.delete(one.id);
    free = isFree ? free.set(one.id, true) : free.delete(one.id);
  }
  return { ...before, all, open, taken, free, dependents };
}

type TaskEvent = Extract<ProjectEvent, { type: `task.${string}` }>;

export const isTaskEvent = (event: ProjectEvent): event is TaskEvent => event.type.startsWith("task.");

/** `update_prd` waits for questions about its section in any dialog, and for open questions of its own task. */
export function isHeldSection(tree: Tree, sections: Sections, { tool, input }: Pick<CallPart, "tool" | "input">): boolean {
  const parsed = tool === "update_prd" ? builtinInputs.update_prd.safeParse(input) : undefined;
  if (!parsed?.success) return false;
  return isSectionAsked(sections, parsed.data.sectionKey) || hasOpenQuestion(tree) || (tree.task?.kind !== "prd" && isAskedAbout(tree));
}

/** This task has asked people something and has no answer yet. A question that only shows an answer given elsewhere does not count. */
const hasOpenQuestion = ({ task, openQuestions, questions }: Pick<Tree, "task" | "openQuestions" | "questions">): boolean =>
  task !== undefined &&
  [...openQuestions.keys()].some((id) => {
    const question = questions.get(id);
    return question !== undefined && (question.kind === "question" || question.kind === "confirmation") && question.topic !== "confirmed";
  });

/** A question about a feedback, PRD section or plan is open, so nothing is created from it yet. */
export const isAskedAbout = ({ task, openQuestions, questions }: Pick<Tree, "task" | "openQuestions" | "questions">): boolean =>
  task !== undefined &&
  task.kind !== "task" &&
  [...openQuestions.keys()].some((id) => ["question", "confirmation"].includes(questions.get(id)?.kind ?? ""));

/** A task keeps this many entries of its history. The log has all of them. */
const MAX_HISTORY_ENTRIES = 50;

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
    return placed(tasks, task);
  }
  const task = tasks.all.get(event.task);
  if (!task) return tasks;
  const remembered = (what: string, more: { by?: string; why?: string } = {}) =>
    [...task.history, { at, what, ...more }].slice(-MAX_HISTORY_ENTRIES);
  const put = (changes: Partial<Task>): Tasks => placed(tasks, { ...task, ...changes });
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
      return put({ assignee: undefined, closed, history });
    }
    case "task.retried":
      return put({ failures: 0, history: remembered("to be tried again", { by: event.by }) });
    default:
      return tasks;
  }
}

/** A tree's open questions, as the index lists them. */
export type QuestionsOf = (dialog: RootId) => readonly Pick<QuestionSummary, "id">[];

/** Includes questions that wait for one in another tree. */
export const openIn = (entry: Pick<Entry, "questions" | "sharing"> | undefined): ReturnType<QuestionsOf> =>
  entry?.sharing ? [...(entry.questions ?? []), ...entry.sharing.map((id) => ({ id }))] : (entry?.questions ?? []);

/** Derived, in this order: closed, blocked by an open question, taken, open. */
export function statusOf(task: Task, questionsOf: QuestionsOf): TaskStatus {
  if (task.closed) return "closed";
  if (task.dialog !== undefined && questionsOf(task.dialog).length > 0) return "blocked";
  return task.assignee === undefined ? "open" : "in_progress";
}

/** Open, with all dependencies closed; oldest first. */
export function readyTasks(tasks: Tasks, questionsOf: QuestionsOf): readonly Task[] {
  return [...tasks.free.keys()]
    .flatMap((id) => tasks.all.get(id) ?? [])
    .filter((task) => statusOf(task, questionsOf) === "open")
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/** Taken and not waiting for people. Only these count against the limit. */
export const tasksAtWork = (tasks: Tasks, questionsOf: QuestionsOf): readonly Task[] =>
  [...tasks.taken.keys()].flatMap((id) => tasks.all.get(id) ?? []).filter((task) => statusOf(task, questionsOf) === "in_progress");

/** The source of a task's questions, as notifications show it. */
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

/** Releases tasks whose dialog was lost with its files, so that they can be taken again. */
export const releaseLost = ({ all, taken }: Tasks, hasDialog: (dialog: RootId) => boolean, why: string): readonly ProjectEvent[] =>
  [...taken.keys()].flatMap((id): ProjectEvent[] => {
    const task = all.get(id);
    return task?.dialog === undefined || hasDialog(task.dialog) ? [] : [{ type: "task.released", task: task.id, why }];
  });
