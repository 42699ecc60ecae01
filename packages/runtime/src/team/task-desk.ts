import {
  decideFirstTake,
  decideNewTask,
  decideNextTake,
  decideTaskChange,
  decideTaskClosing,
  mainDialog,
  sectionPath,
  type SignedCommand,
  type Taking,
  type Task,
  taskConfig,
  type TaskFile,
  taskFolder,
  type Tasks,
  type Tree,
} from "@colloquy/core";
import {
  type AgentId,
  Fault,
  type NewTask,
  Refused,
  RootId,
  shortId,
  type TaskAutonomy,
  type TaskChange,
  type TaskId,
} from "@colloquy/schema";
import { autonomyIn, configPath } from "../calls/act-rules.ts";
import { fingerprint } from "../documents/documents.ts";
import type { Engine } from "../engine/engine.ts";
import type { ProjectStream } from "../watch/project-stream.ts";

export interface TaskDeskHost {
  /** A tree begins, in one commit with what is said to the project. */
  makeTree(rootId: RootId, taking: Taking): Promise<void>;
  /** What is running in a tree ends, so that its results are in the log. */
  endWork(rootId: RootId, by: string): Promise<void>;
}

/** Where tasks are written down, changed, and given to agents. */
export class TaskDesk {
  readonly #engine: Engine;
  readonly #project: ProjectStream;
  readonly #host: TaskDeskHost;

  constructor(engine: Engine, project: ProjectStream, host: TaskDeskHost) {
    this.#engine = engine;
    this.#project = project;
    this.#host = host;
  }

  get state(): Tasks {
    return this.#project.state.tasks;
  }

  /** A task by a person. The same `msgId` again gives the same task. */
  async create(input: NewTask, signed: SignedCommand): Promise<TaskId> {
    return (await this.#project.decide((project) => decideNewTask(project, input, { ...signed, id: this.#engine.deps.newId() }))).id;
  }

  /** Closing a task closes its dialog with it. */
  async change(id: string, change: TaskChange, signed: SignedCommand): Promise<TaskId> {
    const first = decideTaskChange(this.#project.state, id, change, signed);
    const isClosing = first.ok && first.events.some((event) => event.type === "task.closed");
    const dialog = isClosing ? this.state.all.get(first.id)?.dialog : undefined;
    if (isClosing && dialog !== undefined && this.#engine.deps.store.entry(dialog)?.status === "running") {
      await this.#host.endWork(dialog, signed.by);
      const outcome = await this.#engine.writer.commit(dialog, (tree, live) =>
        decideTaskClosing(tree, this.#project.state, id, change, signed, this.#engine.rulebook.rules(live)),
      );
      if (!outcome.ok) throw new Refused(outcome.refusal);
      if (outcome.events.length > 0) return first.id;
    }
    return (await this.#project.decide((project) => decideTaskChange(project, id, change, signed))).id;
  }

  /** An agent is given a task: in a new main dialog, or in the one that the task has. One commit over the project and the tree. */
  async take(id: TaskId, agent: AgentId): Promise<void> {
    const engine = this.#engine;
    const task = this.state.all.get(id);
    if (!task || task.closed || task.assignee !== undefined) return;
    // A dialog whose files are lost is replaced: the task, its Taskdoc and its sections are still there.
    if (task.dialog === undefined || !engine.deps.store.has(task.dialog)) {
      const rootId = RootId.parse(engine.deps.newId());
      try {
        await this.#host.makeTree(rootId, decideFirstTake(task, agent, rootId, this.#files(task), engine.rulebook.texts()));
      } catch (error) {
        // Another writer was first, perhaps with this very task.
        if (error instanceof Fault && error.code === "log_conflict") return this.take(id, agent);
        throw error;
      }
      return this.#settle(rootId);
    }
    const outcome = await engine.writer.commit(task.dialog, (tree) => {
      const now = this.state.all.get(id);
      if (!now || now.closed || now.assignee !== undefined || tree.openQuestions.size > 0) return { ok: true, seq: tree.seq, events: [] };
      const { tree: events, project } = decideNextTake(now, agent, tree, this.#files(now, tree), engine.rulebook.texts());
      return { ok: true, seq: tree.seq + events.length, events, project };
    });
    if (!outcome.ok) throw new Refused(outcome.refusal);
    this.#settle(task.dialog);
  }

  /** The Taskdoc is there also when no step comes to it. Nobody waits for that: a step writes what it needs itself. */
  #settle(rootId: RootId): void {
    const engine = this.#engine;
    engine.settler
      .settle(rootId)
      .catch((error: unknown) => engine.isClosing || engine.deps.report(error, `documents of ${shortId(rootId)}`));
  }

  /** How far the agents of a task go by themselves, as it is now. */
  async autonomy(task: Task): Promise<TaskAutonomy> {
    const { deps } = this.#engine;
    await deps.refresh();
    const own =
      task.dialog && (await this.#engine.look(task.dialog, ({ state }) => [mainDialog(state)?.taskDocPath, state.task?.config] as const));
    const [folder = taskFolder(task), written] = own ?? [];
    return { ...autonomyIn(deps, folder, written), path: configPath(folder) };
  }

  /** What the Taskdoc of a task holds when it is taken. What a person has written there stays. */
  #files(task: Task, tree?: Tree): readonly TaskFile[] {
    const { documents, team } = this.#engine.deps;
    // Given another title it keeps its folder.
    const folder = (tree && mainDialog(tree)?.taskDocPath) ?? taskFolder(task);
    const fileAt = (path: string, content: string, isOurs: (hash: string) => boolean): readonly TaskFile[] => {
      const now = documents.has(folder) ? (documents.read(path)?.hash ?? "") : "";
      const to = fingerprint(content);
      return now === to || !isOurs(now) ? [] : [{ path, from: now, to, content }];
    };
    const written = tree?.task?.config;
    return [
      ...fileAt(
        sectionPath(folder, "goals"),
        `${[`# ${task.title}`, task.description].filter(Boolean).join("\n\n")}\n`,
        (now) => now === "" && !tree,
      ),
      ...fileAt(configPath(folder), taskConfig(task, team().autonomy), (now) => now === "" || now === written),
    ];
  }
}
