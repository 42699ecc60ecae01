import { newMsgId, type RootId, type Refused } from "@colloquy/schema";
import { type Actions, actionsOver } from "./actions.ts";
import { Api, type ApiOptions } from "./api.ts";
import { type Command, CommandQueue, type KeptCommands, keptInBrowser, type Patience } from "./command-queue.ts";
import type { Commit } from "./commit.ts";
import { Disconnected } from "./disconnected.ts";
import type { Observable } from "./observable.ts";
import { onReturn } from "./on-return.ts";
import { type Clock, realClock, type SocketMaker } from "./ports.ts";
import { Stores } from "./stores/stores.ts";
import type { TreeStore } from "./stores/tree-store.ts";
import type { ProjectListener, ProjectWatch } from "./transport/project-channel.ts";
import { SocketTransport } from "./transport/socket-transport.ts";
import { type StreamFetch, StreamTransport } from "./transport/stream-transport.ts";
import type { ConnectionState, OpenQuestion, Transport } from "./transport/transport.ts";
import type { TreeListener, TreeWatch } from "./transport/tree-channel.ts";

interface ClientOptions {
  /** Needed only if the server serves several projects. */
  readonly projectId?: string | undefined;
  /** For tests. */
  readonly clock?: Clock | undefined;
  /** Where commands without an answer are kept. Default: the browser's storage; outside of browsers, nowhere. */
  readonly kept?: KeptCommands | undefined;
  /** Default: commands are sent again until there is an answer. */
  readonly patience?: Patience | undefined;
}

/** A standalone server, such as `colloquy serve`: it is watched over a WebSocket. */
export interface ConnectOptions extends Omit<ApiOptions, "base" | "headers">, ClientOptions {
  readonly api?: undefined;
  /** Default: the global one. */
  readonly WebSocket?: SocketMaker | undefined;
}

/** An API without sockets, such as `handlers(project)` in your own server: it is watched over server-sent events. */
export interface HttpOptions extends ClientOptions {
  readonly url?: undefined;
  /** The path before `/projects`. */
  readonly api: string;
  /** Called for each request, for example for a token that changes. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
  readonly fetch?: StreamFetch | undefined;
}

/** Connects to a server, and keeps the connection until `close`. */
export function connect(options: ConnectOptions | HttpOptions): Client {
  const client = new Client(options);
  client.open();
  return client;
}

/**
 * A server as programs see it. Stores and watches continue where they were, over as many connections as it takes. Commands are sent again
 * until they are answered. `api` makes single requests. It connects when something is watched, or by `open`.
 */
export class Client {
  /** What pages show. */
  readonly stores: Stores;
  readonly dialogs: Actions["dialogs"];
  readonly questions: Actions["questions"];
  readonly tasks: Actions["tasks"];
  readonly notices: Actions["notices"];
  readonly effects: Actions["effects"];
  readonly grants: Actions["grants"];
  readonly #options: ConnectOptions | HttpOptions;
  readonly #clock: Clock;
  readonly #transport: Transport;
  readonly #queue: CommandQueue;
  readonly #apis = new Map<string | undefined, Api>();
  #stopRetrying: (() => void) | undefined;
  #isClosed = false;

  constructor(options: ConnectOptions | HttpOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#transport = this.#newTransport();
    this.#queue = new CommandQueue({
      send: ({ projectId, route, params, body, trace }) => this.apiOf(projectId).call(route, params, { body, trace }),
      after: (ms, act) => this.#clock.after(ms, act),
      kept: options.kept ?? keptInBrowser(),
      patience: options.patience,
    });
    this.#onOpen(() => this.#queue.retryNow());
    this.stores = new Stores({
      api: (projectId) => this.apiOf(projectId),
      watchProject: (projectId, listener) => this.#watchProject(projectId, {}, listener),
      watchTree: (projectId, watch, listener) => this.#watchTree(projectId, watch, listener),
      onOpen: (listener) => this.#onOpen(listener),
      after: (ms, act) => this.#clock.after(ms, act),
      now: () => this.#clock.nowMs(),
    });
    ({
      dialogs: this.dialogs,
      questions: this.questions,
      tasks: this.tasks,
      notices: this.notices,
      effects: this.effects,
      grants: this.grants,
    } = this.actionsIn());
  }

  get api(): Api {
    return this.apiOf();
  }

  /** Of a project. Without one: as the client was told, or the only one that is served. */
  apiOf(projectId = this.#options.projectId): Api {
    const known = this.#apis.get(projectId);
    if (known) return known;
    const options = this.#options;
    const api =
      options.api === undefined
        ? new Api({ ...options, projectId })
        : new Api({ ...options, projectId, url: options.api, base: options.api });
    this.#apis.set(projectId, api);
    return api;
  }

  /** What people do in a project. Without one: as the client was told, or the only one that is served. */
  actionsIn(projectId = this.#options.projectId): Actions {
    return actionsOver((route, params, body: { readonly msgId?: string }, { trace } = {}) => {
      const msgId = body.msgId ?? newMsgId();
      const command = { msgId, givenAt: this.#clock.nowMs(), projectId, route, params, body: { ...body, msgId } };
      return this.#queue.give({ ...command, ...(trace !== undefined && { trace }) });
    });
  }

  get state(): Observable<ConnectionState> {
    return this.#transport.state;
  }

  /** Commands that could not be delivered so far. */
  get unsent(): Observable<readonly Command[]> {
    return this.#queue.unsent;
  }

  open(): void {
    if (this.#isClosed) return;
    this.#stopRetrying ??= onReturn(() => this.retryNow());
    this.#transport.open();
  }

  /** Skips the pause before the next attempt: the network is there again, or the page is shown again. */
  retryNow(): void {
    this.#transport.retryNow();
    this.#queue.retryNow();
  }

  /** Disconnects until something is watched again. Commands are kept and sent as before. */
  pause(): void {
    this.#stopRetrying?.();
    this.#stopRetrying = undefined;
    this.#transport.close();
  }

  /** Ends everything. Commands without an answer fail with `Disconnected`; in a browser the next page sends them. */
  close(): void {
    this.#isClosed = true;
    this.pause();
    this.#queue.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** A folded tree; `subscribe` to it while it is shown. */
  tree(rootId: string): TreeStore {
    return this.stores.tree(this.#options.projectId, rootId as RootId);
  }

  /** The commits of a tree and its live output, as they come. Returns an unsubscribe function. */
  watchTree(watch: TreeWatch, listener: TreeListener): () => void {
    return this.#watchTree(this.#options.projectId, watch, listener);
  }

  /** A tree's commits after a `seq`, then new ones, until the signal is aborted. */
  async *follow(rootId: string, after: number, signal: AbortSignal): AsyncGenerator<Commit, void, undefined> {
    const come: Commit[] = [];
    let error: Refused | undefined;
    let wake = () => {};
    const listener: TreeListener = {
      commit: (commit) => {
        come.push(commit);
        wake();
      },
      refused: (why) => {
        error = why;
        wake();
      },
    };
    const stop = this.watchTree({ rootId: rootId as RootId, after }, listener);
    const unwatch = this.state.subscribe(() => wake());
    const end = () => wake();
    signal.addEventListener("abort", end);
    try {
      while (!signal.aborted) {
        const next = come.shift();
        if (next) {
          yield next;
          continue;
        }
        if (error) throw error;
        this.#demandLife();
        await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      signal.removeEventListener("abort", end);
      unwatch();
      stop();
    }
  }

  /** Events of the whole project. Returns an unsubscribe function. */
  watchProject(watch: ProjectWatch, listener: ProjectListener): () => void {
    return this.#watchProject(this.#options.projectId, watch, listener);
  }

  /** Shows others what this person has open. Not kept: without a connection nobody is told. */
  presence(open: OpenQuestion, projectId = this.#options.projectId): void {
    this.#transport.presence(projectId, open);
  }

  #newTransport(): Transport {
    const options = this.#options;
    const clock = this.#clock;
    const whoAmI = () => this.api.me();
    if (options.api === undefined) {
      const { url, token, session, WebSocket = globalThis.WebSocket as unknown as SocketMaker } = options;
      return new SocketTransport({ url, token, session, WebSocket, clock, whoAmI });
    }
    const { api, headers, fetch: given = (url, init) => fetch(url, init) } = options;
    return new StreamTransport({ api, headers, fetch: given, clock, whoAmI, onlyProject: () => this.api.projectId() });
  }

  #watchTree(projectId: string | undefined, watch: TreeWatch, listener: TreeListener): () => void {
    if (this.#isClosed) return () => undefined;
    this.open();
    return this.#transport.watchTree(projectId, watch, listener);
  }

  #watchProject(projectId: string | undefined, watch: ProjectWatch, listener: ProjectListener): () => void {
    if (this.#isClosed) return () => undefined;
    this.open();
    return this.#transport.watchProject(projectId, watch, listener);
  }

  #onOpen(listener: () => void): () => void {
    const { state } = this.#transport;
    let { status } = state.getSnapshot();
    return state.subscribe(() => {
      const before = status;
      ({ status } = state.getSnapshot());
      if (status === "open" && before !== "open") listener();
    });
  }

  #demandLife(): void {
    const state = this.state.getSnapshot();
    if (state.status === "refused") throw state.error;
    if (state.status === "closed") throw new Disconnected("The connection was closed.");
  }
}
