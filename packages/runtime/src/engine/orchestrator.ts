import { openIn, readyTasks, type Task, tasksAtWork } from "@colloquy/core";
import { AgentId, type AnyEvent, Fault, PROJECT_STREAM, type RootId, shortId, type TaskKind } from "@colloquy/schema";
import type { Committed } from "@colloquy/store";
import { FULL_DISK_PAUSE_MS } from "./deps.ts";
import type { Engine } from "./engine.ts";

/** What happens in the dialog of a task and changes whether it is at work or can be given. */
const MOVING: ReadonlySet<AnyEvent["type"]> = new Set([
  "question.asked",
  "question.closed",
  "dialog.stopped",
  "dialog.resumed",
  "dialog.completed",
  "dialog.reopened",
  "dialog.archived",
]);

/** Gives ready tasks to agents, up to a limit; those that wait for people do not count. Woken by commits; by a clock only where there was no room for one. */
export class Orchestrator {
  readonly #engine: Engine;
  readonly #limit: () => number;
  readonly #stopWatching: () => void;
  /** Tasks that could not be given to anybody: said once. */
  readonly #told = new Set<string>();
  readonly #idleWaiters: (() => void)[] = [];
  #looking: Promise<void> | undefined;
  #looksAgain = false;
  /** Something is left to give, as soon as the disk has room. */
  #waitsForRoom = false;
  #isClosed = false;

  constructor(engine: Engine, limit: () => number) {
    this.#engine = engine;
    this.#limit = limit;
    this.#stopWatching = engine.deps.store.watch((committed) => this.#concerns(committed) && this.look());
  }

  /** Sees whether there is something to give. */
  look(): void {
    this.#looksAgain = true;
    if (this.#isClosed) return;
    this.#looking ??= this.#lookOn().finally(() => {
      this.#looking = undefined;
      // What was committed between the last look and now.
      if (this.#looksAgain) this.look();
    });
  }

  #concerns({ lines }: Committed): boolean {
    const { byDialog } = this.#engine.tasks.state;
    return lines.some(({ stream, line }) => {
      if (stream === PROJECT_STREAM) return line.events.some(({ type }) => type.startsWith("task."));
      return byDialog.has(stream) && line.events.some(({ type }) => MOVING.has(type));
    });
  }

  /** Resolves when nothing is left to give, and nobody is at work on a task. */
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
    while (this.#looksAgain && !this.#isClosed && !this.#engine.isClosing) {
      this.#looksAgain = false;
      await this.#engine.deps.refresh();
      // One that cannot be taken keeps nobody else; the next look tries it again.
      const failed = new Set<string>();
      for (let next = this.#next(failed); next && !this.#isClosed; next = this.#next(failed)) {
        try {
          await this.#engine.tasks.take(next.task.id, next.agent);
          // Its tree says otherwise than the index: a commit tells when that changes.
          if (this.#engine.tasks.state.all.get(next.task.id)?.assignee === undefined) failed.add(next.task.id);
        } catch (error) {
          failed.add(next.task.id);
          if (error instanceof Fault && error.code === "log_full") this.#lookLater();
          this.#tell(next.task.id, `could not be taken: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    }
    const { engine, atWork } = { engine: this.#engine, atWork: this.#atWork() };
    if (atWork === 0 && !this.#looksAgain && !this.#waitsForRoom && !engine.isClosing) for (const go of this.#idleWaiters.splice(0)) go();
  }

  /** No commit tells that there is room again. */
  #lookLater(): void {
    if (this.#waitsForRoom) return;
    this.#waitsForRoom = true;
    const { deps, closing } = this.#engine;
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
    const ready = readyTasks(this.#engine.tasks.state, this.#questionsOf);
    for (const task of ready) {
      if (failed.has(task.id)) continue;
      const entry = task.dialog && this.#engine.deps.store.entry(task.dialog);
      // It stands still because a person wants it so.
      if (entry && (entry.stopped !== undefined || entry.status === "archived")) continue;
      const agent = this.#ownAgent(entry?.agent) ?? this.#agentFor(task.kind);
      if (agent !== undefined) return { task, agent };
      this.#tell(task.id, `nobody takes tasks of kind "${task.kind}": give an agent handles: [${task.kind}]`);
    }
    return undefined;
  }

  /** The agent of the task's dialog, as long as it is in the team. */
  #ownAgent(id: string | undefined): AgentId | undefined {
    const agent = id === undefined ? undefined : AgentId.parse(id);
    return agent !== undefined && this.#engine.deps.team().member(agent) ? agent : undefined;
  }

  /** Of those who take such tasks, the one with the least to do. */
  #agentFor(kind: TaskKind): AgentId | undefined {
    const busy = tasksAtWork(this.#engine.tasks.state, this.#questionsOf);
    const load = (id: string) => busy.filter((task) => task.assignee === id).length;
    const able = this.#engine.deps
      .team()
      .members()
      .filter((member) => member.handles.includes(kind));
    const [first] = able.toSorted((a, b) => load(a.id) - load(b.id));
    return first && AgentId.parse(first.id);
  }

  #atWork(): number {
    return tasksAtWork(this.#engine.tasks.state, this.#questionsOf).filter(({ dialog }) => dialog === undefined || this.#mayMove(dialog))
      .length;
  }

  /** A dialog that a person has stopped waits for that person; nobody works in one that is gone or cannot be read. */
  #mayMove(dialog: RootId): boolean {
    const { store } = this.#engine.deps;
    const entry = store.entry(dialog);
    return entry !== undefined && entry.stopped === undefined && store.damageOf(dialog) === undefined;
  }

  readonly #questionsOf = (dialog: RootId) => openIn(this.#engine.deps.store.entry(dialog));

  #tell(task: string, what: string): void {
    if (this.#told.has(task)) return;
    this.#told.add(task);
    this.#engine.deps.report(new Error(what), `task ${shortId(task)}`);
  }
}
