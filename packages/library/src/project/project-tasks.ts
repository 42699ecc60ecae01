import { findTask, openIn, readyTasks, statusOf, type Task, taskView } from "@colloquy/core";
import { type Engine, Orchestrator } from "@colloquy/runtime";
import {
  NewTask,
  Refused,
  type RootId,
  type TaskAutonomy,
  TaskChange,
  type TaskKind,
  type TaskOrder,
  type TaskStatus,
  type TaskView,
} from "@colloquy/schema";
import { z } from "zod";
import type { Signed } from "../dialogs/signed.ts";
import { unlessAborted } from "../dialogs/unless-aborted.ts";

export interface TaskQuery {
  readonly status?: TaskStatus;
  readonly kind?: TaskKind;
  readonly order?: TaskOrder;
}

export interface TaskPage {
  readonly items: readonly TaskView[];
  readonly next?: string;
}

const byAge = (a: Task, b: Task): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
/** Closed tasks come last, the most recently closed first. */
const byCurrency = (a: Task, b: Task): number =>
  a.closed && b.closed ? b.closed.at - a.closed.at : Number(!!a.closed) - Number(!!b.closed);

/** The tasks of a project. */
export class ProjectTasks {
  readonly #engine: Pick<Engine, "deps" | "closing">;
  readonly #desk: Engine["tasks"];
  readonly #limit: () => number;
  #orchestrator: Orchestrator | undefined;

  constructor(engine: Pick<Engine, "deps" | "closing" | "tasks">, limit: () => number) {
    this.#engine = engine;
    this.#desk = engine.tasks;
    this.#limit = limit;
  }

  /** Oldest first, unless another order is asked for. */
  list(query: TaskQuery = {}): readonly TaskView[] {
    return this.#sorted(query).map((task) => taskView(task, this.#questionsOf));
  }

  /** A page of that list. Pass `next` as `after` to get the next page. */
  page({ after, limit, ...query }: TaskQuery & { readonly after?: string; readonly limit: number }): TaskPage {
    const all = this.#sorted(query);
    const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const items = all.slice(from, from + limit).map((task) => taskView(task, this.#questionsOf));
    const last = from + limit < all.length ? items.at(-1)?.id : undefined;
    return { items, ...(last !== undefined && { next: last }) };
  }

  #sorted({ status, kind, order = "oldest" }: TaskQuery): readonly Task[] {
    const wanted = [...this.#desk.state.all.values()].filter(
      (task) => (kind === undefined || task.kind === kind) && (status === undefined || statusOf(task, this.#questionsOf) === status),
    );
    return wanted.toSorted((a, b) => (order === "current" ? byCurrency(a, b) : 0) || byAge(a, b));
  }

  /** By its id, or a unique beginning or end of it. */
  get(id: string): TaskView {
    return taskView(this.#find(id), this.#questionsOf);
  }

  /** The task whose main dialog this is. */
  of(dialog: string): readonly TaskView[] {
    const task = this.#desk.state.byDialog.get(dialog as RootId);
    return task === undefined ? [] : [this.get(task)];
  }

  /** Open tasks whose dependencies are closed. */
  ready(): readonly TaskView[] {
    return readyTasks(this.#desk.state, this.#questionsOf).map((task) => taskView(task, this.#questionsOf));
  }

  /** The autonomy of a task's agents, and where it is set. */
  autonomy(id: string): Promise<TaskAutonomy> {
    return this.#desk.autonomy(this.#find(id));
  }

  /** Repeating a `msgId` returns the same task. */
  async create({ by = "owner", msgId, signal, ...input }: NewTask & Signed): Promise<TaskView> {
    return this.get(await unlessAborted(signal, () => this.#desk.create(parsed(NewTask, input), { by, msgId })));
  }

  /** Repeating a `msgId` changes nothing more. */
  async update(id: string, { by = "owner", msgId, signal, ...change }: TaskChange & Signed): Promise<TaskView> {
    return this.get(await unlessAborted(signal, () => this.#desk.change(id, parsed(TaskChange, change), { by, msgId })));
  }

  close(id: string, { why = "", ...signed }: Signed & { readonly why?: string | undefined } = {}): Promise<TaskView> {
    return this.update(id, { close: why, ...signed });
  }

  /** Starts assigning ready tasks to agents. Does nothing if `orchestrator.concurrency` is 0. */
  start(): void {
    if (this.#limit() === 0) return;
    this.#orchestrator ??= new Orchestrator(this.#engine, this.#desk, this.#limit);
    this.#orchestrator.look();
  }

  /** Assigns ready tasks until nobody is working and the rest wait for people. */
  async run({ concurrency }: { readonly concurrency?: number } = {}): Promise<void> {
    const orchestrator = new Orchestrator(this.#engine, this.#desk, () => concurrency ?? Math.max(1, this.#limit()));
    await orchestrator.idle();
    await orchestrator.close();
  }

  async stop(): Promise<void> {
    await this.#orchestrator?.close();
    this.#orchestrator = undefined;
  }

  #find(id: string): Task {
    const task = findTask(this.#desk.state, id);
    if (task === "none") throw new Refused({ code: "not_found", message: `There is no task "${id}".` });
    if (task === "several") throw new Refused({ code: "ambiguous", message: `"${id}" matches several tasks. Give more digits.` });
    return task;
  }

  readonly #questionsOf = (dialog: RootId) => openIn(this.#engine.deps.store.entry(dialog));
}

function parsed<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const read = schema.safeParse(input);
  if (!read.success) throw new Refused({ code: "bad_request", message: z.prettifyError(read.error) });
  return read.data;
}
