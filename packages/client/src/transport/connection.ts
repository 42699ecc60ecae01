import { type ClientPacket, CLOSE_CODES, PROTOCOL, type ServerPacket, type ServerPacketOf, Refused } from "@colloquy/schema";
import type { Observable } from "../observable.ts";
import type { Clock, Socket, SocketMaker } from "../ports.ts";
import { Disconnected } from "../disconnected.ts";
import { type ConnectionState, ObservedState } from "./transport.ts";

export type Accepted = ServerPacketOf<"accepted">;
export type Welcome = ServerPacketOf<"welcome">;

/** A packet before it has a request id. */
export type Unnamed = ClientPacket extends infer One ? (One extends unknown ? Omit<One, "requestId"> : never) : never;

/** Handles an answer. Called before the next packet from the server is processed. */
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
  /** Checks the credentials over HTTP, because browsers do not say why a socket failed to open. */
  whoAmI(): Promise<unknown>;
  /** A new connection is open: subscribe now. */
  opened(): void;
  /** The connection was lost. Requests pending on it have already been told. */
  dropped(): void;
  heard(packet: ServerPacket): void;
}

const FIRST_PAUSE_MS = 300;
const MAX_PAUSE_MS = 15_000;
/** The pause after a `rate_limited` refusal. */
const CALM_MS = 1_000;
/** Gives up a connection that has not opened after this time. */
const OPENING_MS = 15_000;
/** After this silence the connection is probed. */
const SILENCE_MS = 25_000;
/** How long the answer to a probe may take. */
const PATIENCE_MS = 10_000;

/** Keeps one socket after another open to the same server. It matches answers to requests and does not interpret their content. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #state: ObservedState;
  /** Pending requests by id. */
  readonly #asked = new Map<string, Reply>();
  #names = 0;
  #socket: Socket | undefined;
  #welcome: Welcome | undefined;
  #attempt = 0;
  #isHasty = false;
  #isStarted = false;
  #callOff = () => {};

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#state = new ObservedState(() => options.clock.nowMs());
  }

  get state(): Observable<ConnectionState> {
    return this.#state;
  }

  get isOpen(): boolean {
    return this.#welcome !== undefined;
  }

  /** Connects, and reconnects until it is closed. */
  open(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#attempt = 0;
    this.#state.change({ status: "connecting" });
    this.#open();
  }

  /** Sends a packet over this connection only. */
  ask(packet: Unnamed, reply: Reply): void {
    if (!this.#welcome) return reply.refused(new Disconnected("There is no connection."));
    const requestId = `${++this.#names}`;
    this.#asked.set(requestId, reply);
    this.#send({ ...packet, requestId } as ClientPacket);
  }

  after(ms: number, act: () => void): void {
    this.#options.clock.after(ms, act);
  }

  /** Skips the pause: the network or the page is back. */
  retryNow(): void {
    if (this.#state.getSnapshot().status === "reconnecting" && !this.#socket) this.#open();
    else if (this.#welcome) this.#wonder();
  }

  close(): void {
    if (this.#state.getSnapshot().status === "closed") return;
    this.#isStarted = false;
    this.#letGo();
    this.#state.change({ status: "closed" });
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
      if (code === CLOSE_CODES.refused) this.#refuse(new Refused({ code: "unauthorized", message: reason || "The token is invalid." }));
      else {
        this.#isHasty ||= code === CLOSE_CODES.tooFast;
        this.#drop();
      }
    };
    socket.onerror = () => undefined; // a close event follows
    this.#watchFor(OPENING_MS, () => this.#drop());
  }

  #hear(packet: ServerPacket): void {
    if (packet.type === "welcome") return this.#welcomed(packet);
    if (packet.type === "refused" && packet.requestId === undefined) {
      // The server does not say which packet was refused, so everything is asked for again over a new connection.
      this.#isHasty = packet.code === "rate_limited";
      return this.#drop();
    }
    this.#watchFor(SILENCE_MS, () => this.#wonder());
    if (packet.type !== "accepted" && packet.type !== "refused") this.#options.heard(packet);
    else this.#answered(packet);
  }

  #answered(packet: Accepted | ServerPacketOf<"refused">): void {
    const name = packet.requestId ?? "";
    const reply = this.#asked.get(name);
    this.#asked.delete(name);
    if (packet.type === "accepted") reply?.accepted(packet);
    else reply?.refused(new Refused(packet));
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
    // It may have been lost while subscriptions were sent.
    if (this.#welcome === welcome) this.#state.change({ status: "open", user: welcome.user, role: welcome.role });
  }

  /** Probes the connection with a packet that has no effect. */
  #wonder(): void {
    if (!this.#welcome) return;
    this.ask({ type: "unsubscribe", dialog: { rootId: "nothing" } }, { accepted: () => undefined, refused: () => undefined });
    this.#watchFor(PATIENCE_MS, () => this.#drop());
  }

  /** A single timer, restarted at every sign of life. */
  #watchFor(ms: number, act: () => void): void {
    this.#callOff();
    this.#callOff = this.#options.clock.after(ms, act);
  }

  #drop(): void {
    const wasOpen = this.#letGo();
    if (wasOpen) return this.#comeBack();
    // It never opened. A wrong token looks the same as an unreachable server, so check.
    this.#comeBack();
    this.#options.whoAmI().catch((error: unknown) => {
      const isFinal = error instanceof Refused && (error.code === "unauthorized" || error.code === "forbidden");
      if (isFinal && this.#isStarted && !this.#welcome) this.#refuse(error);
    });
  }

  #comeBack(): void {
    const whole = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#attempt);
    const inMs = Math.round(whole * (0.5 + this.#options.clock.chance() / 2)) + (this.#isHasty ? CALM_MS : 0);
    this.#attempt += 1;
    this.#state.change({ status: "reconnecting", attempt: this.#attempt, inMs });
    this.#watchFor(inMs, () => this.#open());
  }

  #refuse(error: Refused): void {
    this.#letGo();
    this.#state.change({ status: "refused", error });
  }

  /** Returns true if the connection was open. */
  #letGo(): boolean {
    this.#callOff();
    const wasOpen = this.#welcome !== undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    this.#welcome = undefined;
    socket?.close();
    const pending = [...this.#asked.values()];
    this.#asked.clear();
    for (const reply of pending) reply.refused(new Disconnected("The connection was lost."));
    if (wasOpen) this.#options.dropped();
    return wasOpen;
  }
}
