import { openIn, readyTasks, type Task, tasksAtWork } from "@colloquy/core";
import { AgentId, type AnyEvent, Fault, PROJECT_STREAM, type RootId, shortId, type TaskKind } from "@colloquy/schema";
import type { Committed } from "@colloquy/store";
import { FULL_DISK_PAUSE_MS } from "../engine/deps.ts";
import type { ProjectContext } from "../engine/project-context.ts";
import type { TaskDesk } from "./task-desk.ts";

/** Events in a task's dialog that change whether it is busy or can be assigned. */
const MOVING: ReadonlySet<AnyEvent["type"]> = new Set([
  "question.asked",
  "question.closed",
  "dialog.stopped",
  "dialog.resumed",
  "dialog.completed",
  "dialog.reopened",
  "dialog.archived",
]);

/**
 * Assigns ready tasks to agents, up to a limit; tasks that wait for people don't count. Woken by commits, and by a timer only if the
 * disk was full.
 */
export class Orchestrator {
  readonly #context: Pick<ProjectContext, "deps" | "closing">;
  readonly #tasks: TaskDesk;
  readonly #limit: () => number;
  readonly #stopWatching: () => void;
  /** Tasks that nobody could take: reported once. */
  readonly #told = new Set<string>();
  readonly #idleWaiters: (() => void)[] = [];
  #looking: Promise<void> | undefined;
  #looksAgain = false;
  /** Something is left to assign once the disk has room. */
  #waitsForRoom = false;
  #isClosed = false;

  constructor(context: Pick<ProjectContext, "deps" | "closing">, tasks: TaskDesk, limit: () => number) {
    this.#context = context;
    this.#tasks = tasks;
    this.#limit = limit;
    this.#stopWatching = context.deps.store.watch((committed) => this.#concerns(committed) && this.look());
  }

  /** Checks whether there is something to assign. */
  look(): void {
    this.#looksAgain = true;
    if (this.#isClosed) return;
    this.#looking ??= this.#lookOn().finally(() => {
      this.#looking = undefined;
      // There were commits since the last look.
      if (this.#looksAgain) this.look();
    });
  }

  #concerns({ lines }: Committed): boolean {
    const { byDialog } = this.#tasks.state;
    return lines.some(({ stream, line }) => {
      if (stream === PROJECT_STREAM) return line.events.some(({ type }) => type.startsWith("task."));
      return byDialog.has(stream) && line.events.some(({ type }) => MOVING.has(type));
    });
  }

  /** Resolves when nothing is left to assign and nobody works on a task. */
  idle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idleWaiters.push(resolve);
    this.look();
    return promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWatching();
    await this.#looking;
    for (const go of this.#idleWaiters.splice(0)) go();
  }

  async #lookOn(): Promise<void> {
    while (this.#looksAgain && !this.#isClosed && !this.#context.closing.aborted) {
      this.#looksAgain = false;
      await this.#context.deps.refresh();
      // One that can't be assigned doesn't block the others; the next look retries it.
      const failed = new Set<string>();
      for (let next = this.#next(failed); next && !this.#isClosed; next = this.#next(failed)) {
        try {
          await this.#tasks.take(next.task.id, next.agent);
          // Its tree disagrees with the index: the next commit triggers another look.
          if (this.#tasks.state.all.get(next.task.id)?.assignee === undefined) failed.add(next.task.id);
        } catch (error) {
          failed.add(next.task.id);
          if (error instanceof Fault && error.code === "log_full") this.#lookLater();
          this.#tell(next.task.id, `could not be taken: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    }
    const isIdle = this.#atWork() === 0 && !this.#looksAgain && !this.#waitsForRoom;
    if (isIdle && !this.#context.closing.aborted) for (const go of this.#idleWaiters.splice(0)) go();
  }

  /** No commit tells that there is room again. */
  #lookLater(): void {
    if (this.#waitsForRoom) return;
    this.#waitsForRoom = true;
    const { deps, closing } = this.#context;
    deps.clock.sleep(FULL_DISK_PAUSE_MS, closing).then(
      () => {
        this.#waitsForRoom = false;
        this.look();
      },
      () => undefined, // closing
    );
  }

  #next(failed: ReadonlySet<string>): { readonly task: Task; readonly agent: AgentId } | undefined {
    if (this.#atWork() >= this.#limit()) return undefined;
    const ready = readyTasks(this.#tasks.state, this.#questionsOf);
    for (const task of ready) {
      if (failed.has(task.id)) continue;
      const entry = task.dialog && this.#context.deps.store.entry(task.dialog);
      // Stopped or archived: only a person resumes it.
      if (entry && (entry.stopped !== undefined || entry.status === "archived")) continue;
      const agent = this.#ownAgent(entry?.agent) ?? this.#agentFor(task.kind);
      if (agent !== undefined) return { task, agent };
      this.#tell(task.id, `nobody takes tasks of kind "${task.kind}": give an agent handles: [${task.kind}]`);
    }
    return undefined;
  }

  /** The agent of the task's dialog, while it is in the team. */
  #ownAgent(id: string | undefined): AgentId | undefined {
    const agent = id === undefined ? undefined : AgentId.parse(id);
    return agent !== undefined && this.#context.deps.team().member(agent) ? agent : undefined;
  }

  /** The least busy of the agents that take such tasks. */
  #agentFor(kind: TaskKind): AgentId | undefined {
    const busy = tasksAtWork(this.#tasks.state, this.#questionsOf);
    const load = (id: string) => busy.filter((task) => task.assignee === id).length;
    const able = this.#context.deps
      .team()
      .members()
      .filter((member) => member.handles.includes(kind));
    const [first] = able.toSorted((a, b) => load(a.id) - load(b.id));
    return first && AgentId.parse(first.id);
  }

  #atWork(): number {
    return tasksAtWork(this.#tasks.state, this.#questionsOf).filter(({ dialog }) => dialog === undefined || this.#mayMove(dialog)).length;
  }

  /** A dialog that a person stopped waits for that person; nobody works in one that is gone or unreadable. */
  #mayMove(dialog: RootId): boolean {
    const { store } = this.#context.deps;
    const entry = store.entry(dialog);
    return entry !== undefined && entry.stopped === undefined && store.damageOf(dialog) === undefined;
  }

  readonly #questionsOf = (dialog: RootId) => openIn(this.#context.deps.store.entry(dialog));

  #tell(task: string, what: string): void {
    if (this.#told.has(task)) return;
    this.#told.add(task);
    this.#context.deps.report(new Error(what), `task ${shortId(task)}`);
  }
}
