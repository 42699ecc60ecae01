import {
  type ListTasksResponse,
  type Message,
  type Part,
  Role,
  type StreamResponse,
  type Task,
  type TaskPushNotificationConfig,
  TaskState,
} from "@a2a-js/sdk";
import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from "@a2a-js/sdk/client";

export type Binding = "JSONRPC" | "HTTP+JSON";

/** The protocol's own client, for an agent elsewhere that has a token of ours. */
export async function a2aClient(url: string, token: string, binding: Binding = "JSONRPC"): Promise<A2aClient> {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    preferredTransports: [binding],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return new A2aClient(await factory.createFromUrl(url));
}

const part = (content: Part["content"], mediaType = ""): Part => ({ content, metadata: undefined, filename: "", mediaType });
export const words = (value: string): Part => part({ $case: "text", value });
const data = (value: object): Part => part({ $case: "data", value });
export const file = (value: Buffer, mediaType: string): Part => part({ $case: "raw", value }, mediaType);

interface Wish {
  readonly task?: string;
  readonly context?: string;
  readonly id?: string;
  readonly returnImmediately?: boolean;
  readonly push?: TaskPushNotificationConfig;
}

export const textOf = (parts: readonly Part[]): string =>
  parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("");

/** A task in few words. */
export function shown({ status, artifacts }: Task) {
  return {
    state: TaskState[status?.state ?? 0]?.replace("TASK_STATE_", "").toLowerCase(),
    said: artifacts.map(({ parts }) => textOf(parts)),
  };
}

/** The question that a task waits for. */
export function questionOf(task: Pick<Task, "status">): Record<string, unknown> {
  const found = task.status?.message?.parts.find(({ content }) => content?.$case === "data")?.content;
  return found?.$case === "data" ? (found.value as Record<string, unknown>) : {};
}

export class A2aClient {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  #params(parts: Part[], { task = "", context = "", id, returnImmediately = false, push }: Wish) {
    const message: Message = {
      messageId: id ?? crypto.randomUUID(),
      taskId: task,
      contextId: context,
      role: Role.ROLE_USER,
      parts,
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
    const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: push, returnImmediately };
    return { tenant: "", message, configuration, metadata: undefined };
  }

  async send(given: string | Part[], wish: Wish = {}): Promise<Task> {
    const answer = await this.client.sendMessage(this.#params(typeof given === "string" ? [words(given)] : given, wish));
    if (!("status" in answer)) throw new Error("a message instead of a task");
    return answer;
  }

  answer(task: Task, given: object): Promise<Task> {
    const { question, shown: version } = questionOf(task);
    return this.send([data({ question, shown: version, ...given })], { task: task.id });
  }

  async stream(given: string, wish: Wish = {}): Promise<StreamResponse[]> {
    return all(this.client.sendMessageStream(this.#params([words(given)], wish)));
  }

  /** Resolves with the first event, and a promise of all. */
  async subscribe(id: string): Promise<{ readonly all: Promise<StreamResponse[]> }> {
    const events = this.client.resubscribeTask({ tenant: "", id });
    const first = await events.next();
    return { all: all(events).then((rest) => [...(first.done ? [] : [first.value]), ...rest]) };
  }

  get(id: string): Promise<Task> {
    return this.client.getTask({ tenant: "", id });
  }

  cancel(id: string): Promise<Task> {
    return this.client.cancelTask({ tenant: "", id, metadata: undefined });
  }

  list(
    more: { readonly contextId?: string; readonly pageSize?: number; readonly pageToken?: string; readonly status?: TaskState } = {},
  ): Promise<ListTasksResponse> {
    return this.client.listTasks({
      tenant: "",
      contextId: "",
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageToken: "",
      statusTimestampAfter: undefined,
      ...more,
    });
  }
}

async function all(events: AsyncGenerator<StreamResponse, void, undefined>): Promise<StreamResponse[]> {
  const found: StreamResponse[] = [];
  for await (const event of events) found.push(event);
  return found;
}
