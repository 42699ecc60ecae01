import { newMsgId, type QuestionId, type requests, type RootId, type ServerPacket } from "@colloquy/schema";
import { Api, type ApiOptions, type Said } from "./api.ts";
import type { Commit } from "./commit.ts";
import { type Accepted, Connection, type ConnectionState, type Waiting } from "./connection.ts";
import type { Observable } from "./observable.ts";
import { type Clock, realClock, type SocketMaker } from "./ports.ts";
import { ProjectChannel, type ProjectListener, type ProjectWatch } from "./project-channel.ts";
import { Disconnected, type Refused } from "./refused.ts";
import { TreeChannel, type TreeListener, type TreeWatch } from "./tree-channel.ts";
import { TreeStore } from "./tree-store.ts";

export interface ConnectOptions extends ApiOptions {
  /** Default: the global one. */
  readonly WebSocket?: SocketMaker | undefined;
  /** For tests. */
  readonly clock?: Clock | undefined;
}

/** A dialog: a main one by its tree's id, or any of a tree. */
export type DialogPlace = string | { readonly rootId: string; readonly selfId?: string | undefined };

/** Stores of trees that nobody looks at any more, in case that somebody comes back to them. */
const IDLE_STORES = 20;

/** Connects to a server, and keeps the connection until `close`. */
export const connect = (options: ConnectOptions): Client => new Client(options);

/**
 * A server as programs see it. What is here goes over the socket: commands are kept until they are acknowledged, over as many
 * connections as it takes; what is watched goes on where it was. `api` asks once, over HTTP.
 */
export class Client {
  readonly api: Api;
  readonly #connection: Connection;
  readonly #projectId: string | undefined;
  readonly #trees = new Map<string, TreeChannel>();
  readonly #project: ProjectChannel;
  readonly #stores = new Map<RootId, TreeStore>();

  constructor({ WebSocket = globalThis.WebSocket as unknown as SocketMaker, clock = realClock, ...options }: ConnectOptions) {
    this.api = new Api(options);
    this.#projectId = options.projectId;
    this.#connection = new Connection({
      url: options.url,
      token: options.token,
      session: options.session,
      WebSocket,
      clock,
      whoAmI: () => this.api.me(),
      opened: () => this.#channels().forEach((channel) => channel.opened()),
      dropped: () => this.#channels().forEach((channel) => channel.dropped()),
      heard: (packet) => this.#heard(packet),
    });
    this.#project = new ProjectChannel(options.projectId, this.#connection);
  }

  get state(): Observable<ConnectionState> {
    return this.#connection.state;
  }

  /** Tries at once instead of at the end of the pause: the network is there again, or the page is shown again. */
  retryNow(): void {
    this.#connection.retryNow();
  }

  close(): void {
    this.#connection.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  // What is watched

  /** A tree, folded; `subscribe` to it as long as it is shown. */
  tree(rootId: string): TreeStore {
    const id = rootId as RootId;
    const store = this.#stores.get(id) ?? new TreeStore(id, (watch, listener) => this.watchTree(watch, listener));
    // Last used last.
    this.#stores.delete(id);
    this.#stores.set(id, store);
    const idle = [...this.#stores.values()].filter((one) => one.isIdle && one !== store);
    for (const one of idle.slice(0, Math.max(0, idle.length - IDLE_STORES))) this.#stores.delete(one.rootId);
    return store;
  }

  /** The commits of a tree and what is said in it, as they come. Returns the way to stop. */
  watchTree(watch: TreeWatch, listener: TreeListener): () => void {
    const { rootId } = watch;
    let channel = this.#trees.get(rootId);
    if (!channel) this.#trees.set(rootId, (channel = new TreeChannel(rootId, this.#connection)));
    const stop = channel.watch(watch, listener);
    return () => stop();
  }

  /** The commits of a tree after a `seq`, and then as they come, until the signal. */
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

  /** What concerns the whole project. Returns the way to stop. */
  watchProject(watch: ProjectWatch, listener: ProjectListener): () => void {
    return this.#project.watch(watch, listener);
  }

  /** Lets the others know what this person has open. Not kept: without a connection it is not told. */
  presence(open: { readonly questionId?: string; readonly writing?: boolean }): void {
    const reply = { accepted: () => undefined, refused: () => undefined };
    this.#connection.ask({ type: "presence", ...this.#named(), ...open }, reply);
  }

  // What people do

  readonly dialogs = {
    create: async (said: Said<typeof requests.CreateDialog>): Promise<{ readonly rootId: RootId; readonly seq: number }> => {
      const { dialog, seq } = await this.#command({ type: "create_dialog", ...this.#named(), ...said });
      if (!dialog) throw new Disconnected("The server did not say which dialog it made.");
      return { rootId: dialog.rootId, seq };
    },
    send: (dialog: DialogPlace, said: Said<typeof requests.SendMessage> | string) =>
      this.#command({ type: "drive_dlg_by_user_msg", dialog: placeOf(dialog), ...worded(said) }),
    stop: (dialog: DialogPlace, { tree = false, msgId }: Said<typeof requests.Stop> = {}) =>
      this.#command({ type: "interrupt_dialog", dialog: placeOf(dialog), scope: tree ? "tree" : "dialog", msgId }),
    resume: (dialog: DialogPlace, said: Said<typeof requests.Plain> = {}) =>
      this.#command({ type: "resume_dialog", dialog: placeOf(dialog), ...said }),
    done: (dialog: DialogPlace, said: Said<typeof requests.Plain> = {}) =>
      this.#command({ type: "mark_done", dialog: placeOf(dialog), ...said }),
    archive: (dialog: DialogPlace, said: Said<typeof requests.Plain> = {}) =>
      this.#command({ type: "archive", dialog: placeOf(dialog), ...said }),
    dead: (dialog: DialogPlace, said: Said<typeof requests.Plain> = {}) =>
      this.#command({ type: "declare_subdialog_dead", dialog: placeOf(dialog), ...said }),
    clearMind: (dialog: DialogPlace, said: Said<typeof requests.ClearMind> = {}) =>
      this.#command({ type: "clear_mind", dialog: placeOf(dialog), ...said }),
    changeMind: (dialog: DialogPlace, said: Said<typeof requests.ChangeMind>) =>
      this.#command({ type: "change_mind", dialog: placeOf(dialog), ...said }),
    setPhase: (dialog: DialogPlace, said: Said<typeof requests.SetPhase>) =>
      this.#command({ type: "set_phase", dialog: placeOf(dialog), ...said }),
  };

  readonly questions = {
    answer: (questionId: QuestionId | string, said: Said<typeof requests.Answering> | string) =>
      this.#command({ type: "drive_dialog_by_user_answer", questionId, continuationType: "answer", ...worded(said) }),
    dismiss: (questionId: QuestionId | string, said: Said<typeof requests.Dismissing> = {}) =>
      this.#command({ type: "dismiss_question", questionId, ...said }),
    askBack: (questionId: QuestionId | string, said: Said<typeof requests.AskingBack> | string) =>
      this.#command({ type: "ask_back_question", questionId, ...worded(said) }),
    approve: (questionId: QuestionId | string, said: Said<typeof requests.Approving>) =>
      this.#command({ type: "approve", questionId, ...said }),
    deny: (questionId: QuestionId | string, said: Said<typeof requests.Denying>) => this.#command({ type: "deny", questionId, ...said }),
  };

  #command(packet: Given): Promise<Accepted> {
    // Every command has a name, so that it can be sent again over another connection.
    return this.#connection.command({ ...packet, msgId: packet.msgId ?? newMsgId() } as Waiting);
  }

  #named(): { readonly project?: string } {
    return this.#projectId === undefined ? {} : { project: this.#projectId };
  }

  #channels(): readonly (TreeChannel | ProjectChannel)[] {
    for (const [rootId, channel] of this.#trees) if (!channel.isWatched) this.#trees.delete(rootId);
    return [...this.#trees.values(), this.#project];
  }

  #heard(packet: ServerPacket): void {
    switch (packet.type) {
      case "recorded":
        return this.#trees.get(packet.dialog.rootId)?.recorded(packet);
      case "presence":
        return this.#project.present(packet);
      case "welcome":
      case "accepted":
      case "refused":
        return; // the connection's own
      default:
        if ("pos" in packet) this.#project.heard(packet);
        else this.#trees.get(packet.dialog.rootId)?.heard(packet);
    }
  }

  #demandLife(): void {
    const state = this.state.getSnapshot();
    if (state.status === "refused") throw state.error;
    if (state.status === "closed") throw new Disconnected("The connection was closed.");
  }
}

/** A command before it has a name. */
type Given = Waiting extends infer One
  ? One extends unknown
    ? Omit<One, "msgId"> & { readonly msgId?: string | undefined }
    : never
  : never;

/** Who has nothing to say but words gives them as they are. */
const worded = <Body>(said: Body | string): Body | { readonly content: string } => (typeof said === "string" ? { content: said } : said);

const placeOf = (place: DialogPlace) =>
  typeof place === "string" ? { rootId: place } : { rootId: place.rootId, ...(place.selfId !== undefined && { selfId: place.selfId }) };
