import { type ClientPacket, CLOSE_CODES, PROTOCOL, type ServerPacket, type ServerPacketOf } from "@colloquy/schema";
import { type Observable, Observed } from "./observable.ts";
import type { Clock, Socket, SocketMaker } from "./ports.ts";
import { Disconnected, Refused } from "./refused.ts";

export type Accepted = ServerPacketOf<"accepted">;
export type Welcome = ServerPacketOf<"welcome">;

/** A packet before it has a name of its own. */
export type Unnamed = ClientPacket extends infer One ? (One extends unknown ? Omit<One, "requestId"> : never) : never;
/** A command that was given and is not acknowledged. */
export type Waiting = Exclude<Unnamed, { readonly type: "subscribe" | "unsubscribe" | "presence" }>;

/** How it stands with the server, for interfaces to show. `waiting`: what is not acknowledged yet, oldest first. */
export type ConnectionState =
  | { readonly status: "connecting"; readonly waiting: readonly Waiting[] }
  | { readonly status: "open"; readonly welcome: Welcome; readonly waiting: readonly Waiting[] }
  | {
      readonly status: "reconnecting";
      /** Counted from the moment at which the connection was lost. */
      readonly attempt: number;
      readonly inMs: number;
      readonly waiting: readonly Waiting[];
    }
  | { readonly status: "closed"; readonly waiting: readonly [] }
  /** Coming back with the same token would change nothing. */
  | { readonly status: "refused"; readonly error: Refused; readonly waiting: readonly [] };

/** What is to be done when an answer comes. Called at once, before what the server says next is heard. */
export interface Reply {
  accepted(answer: Accepted): void;
  refused(error: Refused | Disconnected): void;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly token: string | undefined;
  readonly session?: (() => string | undefined) | undefined;
  readonly WebSocket: SocketMaker;
  readonly clock: Clock;
  /** Asks over HTTP who one is: a browser does not say why a socket was not opened. */
  whoAmI(): Promise<unknown>;
  /** A new connection is open: whoever subscribes does it now. */
  opened(): void;
  /** It is gone; what was asked over it has been told already. */
  dropped(): void;
  heard(packet: ServerPacket): void;
}

interface Asked {
  readonly packet: ClientPacket;
  readonly reply: Reply;
  /** Sent again over the next connection. */
  readonly isKept: boolean;
}

const FIRST_PAUSE_MS = 300;
const MAX_PAUSE_MS = 15_000;
/** After a refusal for haste. */
const CALM_MS = 1_000;
/** A connection that has not become one by then is given up. */
const OPENING_MS = 15_000;
/** So long nothing was heard: is anybody there? */
const SILENCE_MS = 25_000;
/** So long the answer to that may take. Others may take longer: a command can wait for a step to end. */
const PATIENCE_MS = 10_000;
/** What the server takes at most in one packet. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** One socket after the other to the same server. Knows requests and their answers; what is said in them is for others to know. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #state: Observed<ConnectionState>;
  /** By the name that the answer carries, in the order in which they were given. */
  readonly #asked = new Map<string, Asked>();
  #names = 0;
  #socket: Socket | undefined;
  #welcome: Welcome | undefined;
  #attempt = 0;
  #isHasty = false;
  #callOff = () => {};

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#state = new Observed<ConnectionState>({ status: "connecting", waiting: [] });
    this.#open();
  }

  get state(): Observable<ConnectionState> {
    return this.#state;
  }

  get isOpen(): boolean {
    return this.#welcome !== undefined;
  }

  /** Over this connection or not at all. */
  ask(packet: Unnamed, reply: Reply): void {
    if (!this.#welcome) return reply.refused(new Disconnected("There is no connection."));
    this.#take(packet, reply, false);
  }

  after(ms: number, act: () => void): void {
    this.#options.clock.after(ms, act);
  }

  /** Over this connection or, with the same `msgId`, over a later one. */
  command(packet: Waiting): Promise<Accepted> {
    return new Promise((accepted, refused) => {
      const { status } = this.#state.getSnapshot();
      if (status === "closed" || status === "refused") return refused(this.#end());
      this.#take(packet, { accepted, refused }, true);
      this.#show();
    });
  }

  /** Does not wait for the pause to be over: a network is there again, or a page is shown again. */
  retryNow(): void {
    if (this.#state.getSnapshot().status === "reconnecting" && !this.#socket) this.#open();
    else if (this.#welcome) this.#wonder();
  }

  close(): void {
    this.#finish({ status: "closed", waiting: [] });
  }

  #take(packet: Unnamed, reply: Reply, isKept: boolean): void {
    const requestId = `${++this.#names}`;
    const named = { ...packet, requestId } as ClientPacket;
    if (JSON.stringify(named).length > MAX_CHARACTERS) {
      return reply.refused(new Refused({ code: "too_large", message: "More than 4 MB are not taken at once." }));
    }
    this.#asked.set(requestId, { packet: named, reply, isKept });
    if (this.#welcome) this.#send(named);
  }

  #send(packet: ClientPacket): void {
    this.#socket?.send(JSON.stringify(packet));
  }

  #open(): void {
    this.#callOff();
    const { url, token, session, WebSocket } = this.#options;
    const place = new URL("/ws", url);
    place.protocol = place.protocol === "https:" ? "wss:" : "ws:";
    const page = session?.();
    const secret = token ?? (page === undefined ? undefined : `session.${page}`);
    const socket = new WebSocket(place.href, secret === undefined ? ["colloquy"] : ["colloquy", `colloquy.${secret}`]);
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      if (this.#socket === socket) this.#hear(JSON.parse(String(data)) as ServerPacket);
    };
    socket.onclose = ({ code, reason }) => {
      if (this.#socket !== socket) return;
      if (code === CLOSE_CODES.refused) this.#refuse(new Refused({ code: "unauthorized", message: reason || "The token is not known." }));
      else this.#drop();
    };
    socket.onerror = () => undefined; // its close follows
    this.#watchFor(OPENING_MS, () => this.#drop());
  }

  #hear(packet: ServerPacket): void {
    if (packet.type === "welcome") return this.#welcomed(packet);
    if (packet.type === "refused" && packet.requestId === undefined) {
      // It does not say to which packet: what is kept is sent again, over another connection.
      this.#isHasty = packet.code === "rate_limited";
      return this.#drop();
    }
    this.#watchFor(SILENCE_MS, () => this.#wonder());
    if (packet.type !== "accepted" && packet.type !== "refused") this.#options.heard(packet);
    else this.#answered(packet);
  }

  #answered(packet: Accepted | ServerPacketOf<"refused">): void {
    const name = packet.requestId ?? "";
    const asked = this.#asked.get(name);
    if (!asked) return;
    this.#asked.delete(name);
    if (packet.type === "accepted") asked.reply.accepted(packet);
    else asked.reply.refused(new Refused(packet));
    if (asked.isKept) this.#show();
  }

  #welcomed(welcome: Welcome): void {
    if ((welcome.protocol as number) !== PROTOCOL) {
      const message = `The server speaks version ${welcome.protocol as number} of the protocol, and this client version ${PROTOCOL}.`;
      return this.#refuse(new Refused({ code: "bad_request", message }));
    }
    this.#welcome = welcome;
    this.#attempt = 0;
    this.#isHasty = false;
    this.#watchFor(SILENCE_MS, () => this.#wonder());
    this.#options.opened();
    for (const { packet, isKept } of this.#asked.values()) if (isKept) this.#send(packet);
    this.#show();
  }

  /** A packet without effect, so that a connection that is only thought to be there is found out. */
  #wonder(): void {
    if (!this.#welcome) return;
    this.ask({ type: "unsubscribe", dialog: { rootId: "nothing" } }, { accepted: () => undefined, refused: () => undefined });
    this.#watchFor(PATIENCE_MS, () => this.#drop());
  }

  /** One watch at a time: each sign of life sets it anew. */
  #watchFor(ms: number, act: () => void): void {
    this.#callOff();
    this.#callOff = this.#options.clock.after(ms, act);
  }

  #drop(): void {
    const wasOpen = this.#letGo();
    if (wasOpen) return this.#comeBack();
    // It never opened. A wrong token looks like a server that is not there, so ask.
    this.#comeBack();
    this.#options.whoAmI().catch((error: unknown) => {
      const isFinal = error instanceof Refused && (error.code === "unauthorized" || error.code === "forbidden");
      if (isFinal && !this.#welcome) this.#refuse(error);
    });
  }

  #comeBack(): void {
    const whole = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#attempt);
    const inMs = Math.round(whole * (0.5 + this.#options.clock.chance() / 2)) + (this.#isHasty ? CALM_MS : 0);
    this.#attempt += 1;
    this.#state.set({ status: "reconnecting", attempt: this.#attempt, inMs, waiting: this.#waiting() });
    this.#watchFor(inMs, () => this.#open());
  }

  #refuse(error: Refused): void {
    this.#finish({ status: "refused", error, waiting: [] });
  }

  #finish(state: Extract<ConnectionState, { status: "closed" | "refused" }>): void {
    if (this.#state.getSnapshot().status === "closed") return;
    this.#letGo();
    const kept = [...this.#asked.values()];
    this.#asked.clear();
    this.#state.set(state);
    for (const { reply } of kept) reply.refused(this.#end());
  }

  #end(): Refused | Disconnected {
    const state = this.#state.getSnapshot();
    return state.status === "refused" ? state.error : new Disconnected("The connection was closed before an answer came.");
  }

  /** True when it was open. */
  #letGo(): boolean {
    this.#callOff();
    const wasOpen = this.#welcome !== undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    this.#welcome = undefined;
    socket?.close();
    for (const [name, { reply, isKept }] of this.#asked) {
      if (isKept) continue;
      this.#asked.delete(name);
      reply.refused(new Disconnected("The connection was lost."));
    }
    if (wasOpen) this.#options.dropped();
    return wasOpen;
  }

  #waiting(): readonly Waiting[] {
    return [...this.#asked.values()].flatMap(({ packet, isKept }) => (isKept ? [packet as Waiting] : []));
  }

  #show(): void {
    const state = this.#state.getSnapshot();
    const waiting = this.#waiting();
    if (this.#welcome) this.#state.set({ status: "open", welcome: this.#welcome, waiting });
    else if (state.status === "connecting" || state.status === "reconnecting") this.#state.set({ ...state, waiting });
  }
}
