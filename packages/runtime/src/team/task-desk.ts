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
import type { DocumentWriter } from "../documents/document-writer.ts";
import type { ProjectContext } from "../engine/project-context.ts";
import type { ProjectStream } from "../watch/project-stream.ts";

export interface TaskDeskHost {
  readonly project: ProjectStream;
  readonly documents: DocumentWriter;
  /** Creates a tree, in one commit with events of the project. */
  makeTree(rootId: RootId, taking: Taking): Promise<void>;
  /** Ends running work in a tree, so that its results are in the log. */
  endWork(rootId: RootId, by: string): Promise<void>;
}

/** Creates and changes tasks, and assigns them to agents. */
export class TaskDesk {
  readonly #context: ProjectContext;
  readonly #project: ProjectStream;
  readonly #host: TaskDeskHost;

  constructor(context: ProjectContext, host: TaskDeskHost) {
    this.#context = context;
    this.#project = host.project;
    this.#host = host;
  }

  get state(): Tasks {
    return this.#project.state.tasks;
  }

  /** A person's task. Repeating a `msgId` returns the same task. */
  async create(input: NewTask, signed: SignedCommand): Promise<TaskId> {
    return (await this.#project.decide((project) => decideNewTask(project, input, { ...signed, id: this.#context.deps.newId() }))).id;
  }

  /** Closing a task also closes its dialog. */
  async change(id: string, change: TaskChange, signed: SignedCommand): Promise<TaskId> {
    const first = decideTaskChange(this.#project.state, id, change, signed);
    const isClosing = first.ok && first.events.some((event) => event.type === "task.closed");
    const dialog = isClosing ? this.state.all.get(first.id)?.dialog : undefined;
    if (isClosing && dialog !== undefined && this.#context.deps.store.entry(dialog)?.status === "running") {
      await this.#host.endWork(dialog, signed.by);
      const outcome = await this.#context.writer.commit(dialog, (tree, live) =>
        decideTaskClosing(tree, this.#project.state, { task: id, change, signed }, this.#context.rulebook.rules(live)),
      );
      if (!outcome.ok) throw new Refused(outcome.refusal);
      if (outcome.events.length > 0) return first.id;
    }
    return (await this.#project.decide((project) => decideTaskChange(project, id, change, signed))).id;
  }

  /** Assigns a task to an agent: in a new main dialog, or in the one that the task has. One commit over the project and the tree. */
  async take(id: TaskId, agent: AgentId): Promise<void> {
    const { deps, rulebook, writer } = this.#context;
    const task = this.state.all.get(id);
    if (!task || task.closed || task.assignee !== undefined) return;
    await deps.documents.ready?.([await this.#taskdocOf(task)]);
    // A dialog with lost files is replaced: the task, its Taskdoc and its sections still exist.
    if (task.dialog === undefined || !deps.store.has(task.dialog)) {
      const rootId = RootId.parse(deps.newId());
      try {
        await this.#host.makeTree(rootId, decideFirstTake({ task, agent, files: this.#files(task) }, rootId, rulebook.texts()));
      } catch (error) {
        // Another writer was first, perhaps with this very task.
        if (error instanceof Fault && error.code === "log_conflict") return this.take(id, agent);
        throw error;
      }
      return this.#settle(rootId);
    }
    const outcome = await writer.commit(task.dialog, (tree) => {
      const now = this.state.all.get(id);
      if (!now || now.closed || now.assignee !== undefined || tree.openQuestions.size > 0) return { ok: true, seq: tree.seq, events: [] };
      const { tree: events, project } = decideNextTake({ task: now, agent, files: this.#files(now, tree) }, tree, rulebook.texts());
      return { ok: true, seq: tree.seq + events.length, events, project };
    });
    if (!outcome.ok) throw new Refused(outcome.refusal);
    this.#settle(task.dialog);
  }

  /** Writes the Taskdoc even if no step happens. Not awaited: a step writes what it needs itself. */
  #settle(rootId: RootId): void {
    const { deps, closing } = this.#context;
    this.#host.documents.settle(rootId).catch((error: unknown) => closing.aborted || deps.report(error, `documents of ${shortId(rootId)}`));
  }

  /** The current autonomy of a task's agents. */
  async autonomy(task: Task): Promise<TaskAutonomy> {
    const { deps } = this.#context;
    await deps.refresh();
    const own =
      task.dialog &&
      (await this.#context.trees.look(task.dialog, ({ state }) => [mainDialog(state)?.taskDocPath, state.task?.config] as const));
    const [folder = taskFolder(task), written] = own ?? [];
    await deps.documents.ready?.([folder]);
    return { ...autonomyIn(deps, folder, written), path: configPath(folder) };
  }

  async #taskdocOf(task: Task): Promise<string> {
    const { deps, trees } = this.#context;
    if (task.dialog === undefined || !deps.store.has(task.dialog)) return taskFolder(task);
    return folderOf(task, await trees.look(task.dialog, ({ state }) => state));
  }

  /** The files of its Taskdoc to write when a task is taken. Text that a person has written there stays. */
  #files(task: Task, tree?: Tree): readonly TaskFile[] {
    const { documents, team } = this.#context.deps;
    const folder = folderOf(task, tree);
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

/** A renamed task keeps its folder. */
const folderOf = (task: Task, tree?: Tree): string => (tree && mainDialog(tree)?.taskDocPath) ?? taskFolder(task);
