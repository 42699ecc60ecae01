import { type AgentCard, type Message, type StreamResponse, type Task, TaskState, type TaskStatus } from "@a2a-js/sdk";
import {
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import { type BridgeProject, decidedByAnswer, untilIdle } from "@colloquy/bridge";
import { Refused, type RootId } from "@colloquy/schema";
import { sentAlready, taskAt } from "./dialog-messages.ts";
import { type Given, readMessage } from "./given.ts";
import { listed } from "./listed.ts";
import { malformed } from "./problem.ts";
import { loggedId, MESSAGE, taskId, taskRef, type TaskRef } from "./task-ref.ts";
import { isOver, statusOf } from "./task-status.ts";
import { TaskStory } from "./task-story.ts";

type Params<Name extends keyof A2ARequestHandler> = Parameters<A2ARequestHandler[Name]>[0];

interface HandlerOptions {
  readonly project: BridgeProject;
  readonly agentId: string;
  readonly card: AgentCard;
  readonly extendedCard: AgentCard;
  readonly signal: AbortSignal;
}

/** One caller's request over A2A. The protocol's tasks are read from the log each time: nothing is kept here. */
export class RequestHandler implements A2ARequestHandler {
  readonly #options: HandlerOptions;

  constructor(options: HandlerOptions) {
    this.#options = options;
  }

  getAgentCard = async (): Promise<AgentCard> => this.#options.card;
  getAuthenticatedExtendedAgentCard = async (): Promise<AgentCard> => this.#options.extendedCard;

  async sendMessage({ message, configuration }: Params<"sendMessage">): Promise<Task> {
    if (configuration?.taskPushNotificationConfig) throw new PushNotificationNotSupportedError();
    const ref = await this.#begin(readMessage(message));
    const story = await this.#read(ref);
    if (!configuration?.returnImmediately) for await (const said of this.#until(story)) story.told(said);
    return this.#task(story, configuration?.historyLength);
  }

  async *sendMessageStream({ message, configuration }: Params<"sendMessageStream">): AsyncGenerator<StreamResponse, void, undefined> {
    if (configuration?.taskPushNotificationConfig) throw new PushNotificationNotSupportedError();
    const ref = await this.#begin(readMessage(message));
    yield* this.#follow(await this.#read(ref));
  }

  async *resubscribe({ id }: Params<"resubscribe">): AsyncGenerator<StreamResponse, void, undefined> {
    const story = await this.#read(await this.#named(id));
    const { status } = await this.#task(story);
    if (isOver(status)) throw new UnsupportedOperationError(`Task ${id} is over.`);
    yield* this.#follow(story, status?.message?.messageId);
  }

  async getTask({ id, historyLength }: Params<"getTask">): Promise<Task> {
    return this.#task(await this.#read(await this.#named(id)), historyLength);
  }

  async cancelTask({ id }: Params<"cancelTask">): Promise<Task> {
    const { project } = this.#options;
    const story = await this.#read(await this.#named(id));
    const { status } = await this.#task(story);
    if (isOver(status)) throw new TaskNotCancelableError(`Task ${id} is over.`);
    await project.stop(story.ref.rootId as RootId);
    return this.#task(await this.#read(story.ref));
  }

  listTasks(params: Params<"listTasks">): ReturnType<A2ARequestHandler["listTasks"]> {
    const { project } = this.#options;
    const newest = async (rootId: string) => this.#task(await this.#newest(rootId));
    return listed(project, params, newest);
  }

  createTaskPushNotificationConfig = (): Promise<never> => noPush();
  getTaskPushNotificationConfig = (): Promise<never> => noPush();
  listTaskPushNotificationConfigs = (): Promise<never> => noPush();
  deleteTaskPushNotificationConfig = (): Promise<never> => noPush();

  /** Carries out what a message wants. Returns the task that it belongs to. */
  async #begin(message: Message & { readonly given: Given }): Promise<TaskRef> {
    const { taskId: named, contextId, given, messageId } = message;
    if (named !== "") {
      const ref = await this.#named(named);
      if (contextId !== "" && contextId !== ref.rootId) throw malformed(`Task ${named} is not of context ${contextId.slice(0, 100)}.`);
      const rootId = ref.rootId as RootId;
      const isRepeat = !given.answer && (await this.#repeated(rootId, messageId, given)) !== undefined;
      if (given.answer) await this.#answer(rootId, MESSAGE.within + loggedId(messageId), given.answer);
      else if (!isRepeat) await this.#within(await this.#read(ref), messageId, given);
      return ref;
    }
    if (given.answer) throw malformed("An answer needs the taskId of the task that asks.");
    return contextId === "" ? this.#first(messageId, given) : this.#later(contextId, messageId, given);
  }

  async #first(messageId: string, { text, images }: Given): Promise<TaskRef> {
    const { project, agentId } = this.#options;
    const { rootId } = await project.create({ agentId, content: text, images, msgId: MESSAGE.first + loggedId(messageId) });
    return { rootId, from: 0 };
  }

  /** A message to a dialog: it belongs to the task that is open there, or begins the next one. */
  async #later(contextId: string, messageId: string, given: Given): Promise<TaskRef> {
    const { project } = this.#options;
    const { rootId, stopped } = await project.view(contextId).catch((error: unknown) => {
      if (!(error instanceof Refused) || error.code !== "not_found") throw error;
      throw malformed(`There is no context ${contextId.slice(0, 100)}. Leave it out, and the task gets one.`);
    });
    const repeated = await this.#repeated(rootId, messageId, given);
    if (repeated) return repeated;
    const story = await this.#newest(rootId);
    if (!isOver((await this.#task(story)).status)) {
      await this.#within(story, messageId, given);
      return story.ref;
    }
    await project.send(rootId, { content: given.text, images: given.images, msgId: MESSAGE.later + loggedId(messageId) });
    if (stopped) await project.resume(rootId).catch(unlessRunning);
    return (await this.#newest(rootId)).ref;
  }

  async #within(story: TaskStory, messageId: string, { text, images }: Given): Promise<void> {
    const { project } = this.#options;
    const rootId = story.ref.rootId as RootId;
    if (isOver((await this.#task(story)).status))
      throw new UnsupportedOperationError(
        `Task ${taskId(story.ref)} is over. Send the message with contextId ${rootId} and without taskId.`,
      );
    const isAsking = (await project.questions(rootId)).length > 0;
    const msgId = MESSAGE.within + loggedId(messageId);
    await project.send(rootId, { content: text, images, msgId, ...(isAsking && { now: true }) });
  }

  /** The task of a message that is in the dialog already. The dialog may have gone on since. */
  async #repeated(rootId: RootId, messageId: string, { text }: Given): Promise<TaskRef | undefined> {
    const lines = await this.#options.project.events(rootId);
    const sent = sentAlready(lines, rootId, messageId);
    if (!sent) return undefined;
    const { seq, message } = sent;
    const isFirst = message.msgId?.startsWith(MESSAGE.first);
    if (!isFirst && message.content !== text)
      throw new Refused({ code: "msg_id_reused", message: `Another message has the messageId ${messageId.slice(0, 100)}.` });
    return taskAt(lines, rootId, seq);
  }

  /** The decision of the token's user. Only a plain question can be answered from a program. */
  async #answer(rootId: RootId, msgId: string, { question, shown, choice, content, values }: NonNullable<Given["answer"]>): Promise<void> {
    const { project } = this.#options;
    const { dialog, kind, id } = await project.question(question);
    if (dialog.rootId !== rootId) throw malformed(`Question ${id} is not of this task.`);
    if (!decidedByAnswer({ kind })) {
      const page = project.pageOf(id);
      throw new UnsupportedOperationError(
        `A person decides this${page === undefined ? " in the inbox" : ` at ${page}`}: it is no plain question.`,
      );
    }
    await project.answer(id, {
      shown,
      msgId,
      choice: choice === undefined ? undefined : [choice].flat(),
      content: values ? JSON.stringify(values) : content,
    });
  }

  /** Its state, then what is said, then the state when nothing moves. `waitsFor`: the question that is waited for as well. */
  async *#follow(story: TaskStory, waitsFor?: string): AsyncGenerator<StreamResponse, void, undefined> {
    const task = await this.#task(story);
    yield { payload: { $case: "task", value: task } };
    const { id, contextId } = task;
    const common = { taskId: id, contextId, metadata: undefined };
    for (;;) {
      for await (const said of this.#until(story)) {
        const told = story.told(said);
        if (!told) continue;
        const { more: artifact, append } = told;
        yield { payload: { $case: "artifactUpdate", value: { ...common, artifact, append, lastChunk: false } } };
      }
      if (this.#options.signal.aborted) return;
      const { status } = await this.#task(story);
      if (waitsFor === undefined || status?.message?.messageId !== waitsFor) {
        yield { payload: { $case: "statusUpdate", value: { ...common, status } } };
        return;
      }
      await this.#change(story);
    }
  }

  /** Resolves when something more happens in the dialog's tree, or nobody listens any more. */
  async #change({ ref, teller }: TaskStory): Promise<void> {
    const { project, signal } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    const stop = project.watch(ref.rootId as RootId, teller.seq, { commit: () => resolve(), live: () => undefined });
    if (signal.aborted) resolve();
    await promise.finally(stop);
  }

  #until(story: TaskStory): ReturnType<typeof untilIdle> {
    return untilIdle(this.#options.project, story.teller, this.#options.signal);
  }

  async #named(id: string): Promise<TaskRef> {
    if (id === "") throw malformed("The id of the task is missing.");
    const ref = taskRef(id);
    if (!ref) throw new TaskNotFoundError(`There is no task ${id.slice(0, 100)}.`);
    await this.#options.project.view(ref.rootId);
    return ref;
  }

  async #read(ref: TaskRef): Promise<TaskStory> {
    const { project } = this.#options;
    const lines = await project.events(ref.rootId as RootId);
    // A number that no task begins with.
    if (taskAt(lines, ref.rootId, ref.from).from !== ref.from) throw new TaskNotFoundError(`There is no task ${taskId(ref)}.`);
    return new TaskStory(project, ref, lines);
  }

  async #newest(rootId: string): Promise<TaskStory> {
    const { project } = this.#options;
    const lines = await project.events(rootId as RootId);
    return new TaskStory(project, taskAt(lines, rootId, Infinity), lines);
  }

  async #task(story: TaskStory, historyLength?: number): Promise<Task> {
    const { ref, artifacts } = story;
    const followed = { state: TaskState.TASK_STATE_COMPLETED, message: undefined, timestamp: story.at };
    const status: TaskStatus = story.isFollowed ? followed : await statusOf(this.#options.project, ref);
    const history = historyLength === 0 ? [] : story.history.slice(historyLength === undefined ? 0 : -historyLength);
    return { id: taskId(ref), contextId: ref.rootId, status, artifacts, history, metadata: undefined };
  }
}

const noPush = (): Promise<never> => Promise.reject(new PushNotificationNotSupportedError());

/** The message has resumed it. */
function unlessRunning(error: unknown): void {
  if (!(error instanceof Refused) || error.code !== "not_stopped") throw error;
}
