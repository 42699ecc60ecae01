import { type NewTask, type ProjectEvent, type TaskChange, TaskId } from "@colloquy/schema";
import { type Decision, refuse } from "../state/decision.ts";
import { hash } from "../state/hash.ts";
import { receiptOf, type Remembering, repeatedCommand, type SignedCommand } from "../state/project-receipt.ts";
import type { Task, Tasks } from "./task.ts";

type Refused = Extract<Decision<never>, { ok: false }>;
type Resolved = { readonly ok: true; readonly ids: readonly TaskId[] } | Refused;

/** A task may be named by its first or last digits, if only one task matches. */
export function findTask(tasks: Tasks, typed: string): Task | "none" | "several" {
  const digits = typed.trim().toLowerCase();
  const known = tasks.all.get(digits);
  if (known) return known;
  const found = digits.length < 4 ? [] : [...tasks.all.values()].filter(({ id }) => id.endsWith(digits) || id.startsWith(digits));
  return found.length === 1 && found[0] ? found[0] : found.length === 0 ? "none" : "several";
}

function resolveTasks(tasks: Tasks, typed: readonly string[]): Resolved {
  const ids: TaskId[] = [];
  for (const one of typed) {
    const task = findTask(tasks, one);
    if (task === "none") return refuse("not_found", `There is no task "${one}".`);
    if (task === "several") return refuse("ambiguous", `"${one}" matches several tasks. Give more digits.`);
    if (!ids.includes(task.id)) ids.push(task.id);
  }
  return { ok: true, ids };
}

/** If the task would wait for itself: the titles of the circle, in order. */
function taskCircle(tasks: Tasks, id: TaskId, dependsOn: readonly TaskId[]): readonly string[] | undefined {
  const seen = new Set<string>();
  const from = (next: TaskId, path: readonly string[]): readonly string[] | undefined => {
    if (next === id) return path;
    if (seen.has(next)) return undefined;
    seen.add(next);
    const task = tasks.all.get(next);
    for (const below of task?.dependsOn ?? []) {
      const circle = from(below, [...path, task?.title ?? next]);
      if (circle) return circle;
    }
    return undefined;
  };
  for (const next of dependsOn) {
    const circle = from(next, []);
    if (circle) return [tasks.all.get(id)?.title ?? id, ...circle, tasks.all.get(id)?.title ?? id];
  }
  return undefined;
}

export interface Wish extends SignedCommand {
  readonly id: string;
  readonly from?: TaskId | undefined;
}

export type TaskDecision = { readonly ok: true; readonly id: TaskId; readonly events: readonly ProjectEvent[] } | Refused;

export interface KnownTasks extends Remembering {
  readonly tasks: Tasks;
}

export function decideNewTask({ tasks, receipts }: KnownTasks, input: NewTask, wish: Wish): TaskDecision {
  const { kind = "task", title, description = "", key, dependsOn = [] } = input;
  const fingerprint = hash(`task ${kind} ${title} ${description} ${key ?? ""} ${dependsOn.join(" ")}`);
  const repeated = repeatedCommand({ receipts }, wish, fingerprint);
  if (repeated) return repeated.ok ? { ok: true, id: TaskId.parse(repeated.id), events: [] } : repeated;
  if (title.trim() === "") return refuse("empty_content", "A task needs a title.");
  if (kind === "prd" && key === undefined) return refuse("bad_request", "A task of kind prd needs a key: the section that it is about.");
  const resolved = resolveTasks(tasks, dependsOn);
  if (!resolved.ok) return resolved;
  const id = TaskId.parse(wish.id);
  return {
    ok: true,
    id,
    events: [
      {
        type: "task.created",
        task: id,
        kind,
        title: title.trim(),
        description: description.trim(),
        ...(key !== undefined && { key }),
        dependsOn: [...resolved.ids],
        ...(wish.from !== undefined && { from: wish.from }),
        by: wish.by,
        ...receiptOf(wish, fingerprint),
      },
    ],
  };
}

export function decideTaskChange({ tasks, receipts }: KnownTasks, typed: string, change: TaskChange, signed: SignedCommand): TaskDecision {
  const { title, description, dependsOn, close } = change;
  const task = findTask(tasks, typed);
  const meant = typeof task === "string" ? typed : task.id;
  const fingerprint = hash(`change ${meant} ${JSON.stringify([title, description, dependsOn, close])}`);
  const repeated = repeatedCommand({ receipts }, signed, fingerprint);
  if (repeated) return repeated.ok ? { ok: true, id: TaskId.parse(repeated.id), events: [] } : repeated;
  if (task === "none") return refuse("not_found", `There is no task "${typed}".`);
  if (task === "several") return refuse("ambiguous", `"${typed}" matches several tasks. Give more digits.`);
  if (task.closed) return refuse("task_closed", `Task ${task.id.slice(-6)} is closed.`);
  if (title !== undefined && title.trim() === "") return refuse("empty_content", "A task needs a title.");
  const resolved: Resolved = resolveTasks(tasks, dependsOn ?? []);
  if (!resolved.ok) return resolved;
  const circle = taskCircle(tasks, task.id, resolved.ids);
  if (circle) return refuse("circle", `The task would wait for itself: ${circle.join(" → ")}.`);
  const events: ProjectEvent[] = [];
  const { by } = signed;
  const receipt = receiptOf(signed, fingerprint);
  const isChanged = title !== undefined || description !== undefined || dependsOn !== undefined;
  if (isChanged) {
    events.push({
      type: "task.changed",
      task: task.id,
      ...(title !== undefined && { title: title.trim() }),
      ...(description !== undefined && { description: description.trim() }),
      ...(dependsOn !== undefined && { dependsOn: [...resolved.ids] }),
      by,
      ...receipt,
    });
  }
  if (close !== undefined) events.push({ type: "task.closed", task: task.id, by, summary: close, ...(!isChanged && receipt) });
  return { ok: true, id: task.id, events };
}

/** A task of a plan, identified by its key. */
export interface PlannedTask {
  readonly key: string;
  readonly title: string;
  readonly description?: string | undefined;
  /** Keys of the plan, or existing tasks. */
  readonly dependsOn?: readonly string[] | undefined;
}

/** Creates all tasks of a plan with their dependencies, or none. `idOf` gives the id of the nth task. */
export function decidePlan(
  tasks: Tasks,
  planned: readonly PlannedTask[],
  idOf: (nth: number) => string,
  wish: Omit<Wish, "id">,
): TaskDecision {
  const ids = new Map(planned.map(({ key }, nth) => [key, TaskId.parse(idOf(nth))]));
  if (ids.size < planned.length) return refuse("bad_request", "Two tasks of the plan have the same key.");
  const events: ProjectEvent[] = [];
  const placed = new Set<string>();
  // Each round takes the tasks whose dependencies are known. If none is left to take, the rest is circular.
  for (let left = planned; left.length > 0;) {
    const next = left.filter(({ dependsOn = [] }) => dependsOn.every((one) => !ids.has(one) || placed.has(one)));
    if (next.length === 0)
      return refuse("circle", `These tasks of the plan depend on each other: ${left.map(({ key }) => key).join(", ")}.`);
    for (const { key, title, description = "", dependsOn = [] } of next) {
      const outside = resolveTasks(
        tasks,
        dependsOn.filter((one) => !ids.has(one)),
      );
      if (!outside.ok) return outside;
      const inside = dependsOn.flatMap((one) => ids.get(one) ?? []);
      events.push({
        type: "task.created",
        task: ids.get(key) ?? TaskId.parse(""),
        kind: "task",
        title: title.trim(),
        description: description.trim(),
        key,
        dependsOn: [...inside, ...outside.ids],
        ...(wish.from !== undefined && { from: wish.from }),
        by: wish.by,
      });
      placed.add(key);
    }
    left = left.filter(({ key }) => !placed.has(key));
  }
  return { ok: true, id: [...ids.values()][0] ?? TaskId.parse(""), events };
}
