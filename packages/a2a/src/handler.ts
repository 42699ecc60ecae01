import type { AgentCard, Message, StreamResponse, Task, TaskPushNotificationConfig } from "@a2a-js/sdk";
import { PushNotificationNotSupportedError, TaskNotCancelableError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import { type BridgeProject, decidedByAnswer, untilIdle } from "@colloquy/bridge";
import { Refused, type RootId } from "@colloquy/schema";
import { sentAlready, taskAt } from "./dialog-messages.ts";
import { type Given, readMessage } from "./given.ts";
import { listed } from "./listed.ts";
import { malformed } from "./problem.ts";
import type { PushOutbox } from "./push-outbox.ts";
import { newestStory, readStory, taskNamed, taskOf } from "./read-task.ts";
import { loggedId, MESSAGE, taskId, type TaskRef } from "./task-ref.ts";
import { isOver } from "./task-status.ts";
import type { TaskStory } from "./task-story.ts";

type Params<Name extends keyof A2ARequestHandler> = Parameters<A2ARequestHandler[Name]>[0];

interface HandlerOptions {
  readonly project: BridgeProject;
  readonly agentId: string;
  readonly card: AgentCard;
  readonly extendedCard: AgentCard;
  readonly signal: AbortSignal;
  /** The caller's name. */
  readonly by: string;
  readonly push?: PushOutbox | undefined;
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
    const ref = await this.#begun(message, configuration?.taskPushNotificationConfig);
    const story = await readStory(this.#options.project, ref);
    if (!configuration?.returnImmediately) for await (const said of this.#until(story)) story.told(said);
    return taskOf(this.#options.project, story, configuration?.historyLength);
  }

  async *sendMessageStream({ message, configuration }: Params<"sendMessageStream">): AsyncGenerator<StreamResponse, void, undefined> {
    const ref = await this.#begun(message, configuration?.taskPushNotificationConfig);
    yield* this.#follow(await readStory(this.#options.project, ref));
  }

  async *resubscribe({ id }: Params<"resubscribe">): AsyncGenerator<StreamResponse, void, undefined> {
    const story = await readStory(this.#options.project, await taskNamed(this.#options.project, id));
    const { status } = await taskOf(this.#options.project, story);
    if (isOver(status)) throw new UnsupportedOperationError(`Task ${id} is over.`);
    yield* this.#follow(story, status?.message?.messageId);
  }

  async getTask({ id, historyLength }: Params<"getTask">): Promise<Task> {
    return taskOf(this.#options.project, await readStory(this.#options.project, await taskNamed(this.#options.project, id)), historyLength);
  }

  async cancelTask({ id }: Params<"cancelTask">): Promise<Task> {
    const { project } = this.#options;
    const story = await readStory(this.#options.project, await taskNamed(this.#options.project, id));
    const { status } = await taskOf(this.#options.project, story);
    if (isOver(status)) throw new TaskNotCancelableError(`Task ${id} is over.`);
    await project.stop(story.ref.rootId as RootId);
    return taskOf(this.#options.project, await readStory(this.#options.project, story.ref));
  }

  listTasks(params: Params<"listTasks">): ReturnType<A2ARequestHandler["listTasks"]> {
    const { project } = this.#options;
    const newest = async (rootId: RootId) => taskOf(this.#options.project, await newestStory(this.#options.project, rootId));
    return listed(project, params, newest);
  }

  async createTaskPushNotificationConfig(params: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    const push = this.#push();
    await taskNamed(this.#options.project, params.taskId);
    return push.add(this.#options.by, params);
  }

  async getTaskPushNotificationConfig({ taskId: of, id }: Params<"getTaskPushNotificationConfig">): Promise<TaskPushNotificationConfig> {
    return this.#push().get(this.#options.by, of, id);
  }

  async listTaskPushNotificationConfigs({
    taskId: of,
  }: Params<"listTaskPushNotificationConfigs">): ReturnType<A2ARequestHandler["listTaskPushNotificationConfigs"]> {
    return { configs: this.#push().list(this.#options.by, of), nextPageToken: "" };
  }

  async deleteTaskPushNotificationConfig({ taskId: of, id }: Params<"deleteTaskPushNotificationConfig">): Promise<void> {
    this.#push().remove(this.#options.by, of, id);
  }

  #push(): PushOutbox {
    const { push } = this.#options;
    if (!push || push.isOff)
      throw new PushNotificationNotSupportedError("No address is allowed. The owner can name origins: a2a: { push: [ORIGIN] }.");
    return push;
  }

  /** The message's task, with what it wants to hear of it. A refused address refuses the message as well. */
  async #begun(message: Message | undefined, config: TaskPushNotificationConfig | undefined): Promise<TaskRef> {
    const read = readMessage(message);
    if (config) this.#push().demandAllowed(config.url);
    const ref = await this.#begin(read);
    if (config) this.#push().add(this.#options.by, { ...config, taskId: taskId(ref) });
    return ref;
  }

  /** Carries out what a message wants. Returns the task that it belongs to. */
  async #begin(message: Message & { readonly given: Given }): Promise<TaskRef> {
    const { taskId: named, contextId, given, messageId } = message;
    if (named !== "") {
      const ref = await taskNamed(this.#options.project, named);
      if (contextId !== "" && contextId !== ref.rootId) throw malformed(`Task ${named} is not of context ${contextId.slice(0, 100)}.`);
      const rootId = ref.rootId as RootId;
      const isRepeat = !given.answer && (await this.#repeated(rootId, messageId, given)) !== undefined;
      if (given.answer) await this.#answer(rootId, MESSAGE.within + loggedId(messageId), given.answer);
      else if (!isRepeat) await this.#within(await readStory(this.#options.project, ref), messageId, given);
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
    const story = await newestStory(this.#options.project, rootId);
    if (!isOver((await taskOf(this.#options.project, story)).status)) {
      await this.#within(story, messageId, given);
      return story.ref;
    }
    await project.send(rootId, { content: given.text, images: given.images, msgId: MESSAGE.later + loggedId(messageId) });
    if (stopped) await project.resume(rootId).catch(unlessRunning);
    return (await newestStory(this.#options.project, rootId)).ref;
  }

  async #within(story: TaskStory, messageId: string, { text, images }: Given): Promise<void> {
    const { project } = this.#options;
    const rootId = story.ref.rootId as RootId;
    if (isOver((await taskOf(this.#options.project, story)).status))
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
    const task = await taskOf(this.#options.project, story);
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
      const { status } = await taskOf(this.#options.project, story);
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
}

/** The message has resumed it. */
function unlessRunning(error: unknown): void {
  if (!(error instanceof Refused) || error.code !== "not_stopped") throw error;
}
