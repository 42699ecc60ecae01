import type { ClientPacket, LiveEvent, Recorded, RootId, ServerPacket, TreeEvent } from "@colloquy/schema";
import type { Clock, Fetch, Socket, SocketMaker } from "../src/index.ts";

export const ROOT = "0190a0b0c0d000000000000000000001" as RootId;

/** A clock that moves only when told to. */
export class HandClock implements Clock {
  readonly #due: { at: number; act: () => void }[] = [];
  now = 0;

  after(ms: number, act: () => void): () => void {
    const one = { at: this.now + ms, act };
    this.#due.push(one);
    return () => void this.#due.splice(this.#due.indexOf(one) >>> 0, this.#due.includes(one) ? 1 : 0);
  }

  chance = (): number => 1;
  nowMs = (): number => this.now;

  pass(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const next = this.#due.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#due.splice(this.#due.indexOf(next), 1);
      this.now = next.at;
      next.act();
    }
    this.now = end;
  }
}

/** An event with only a position. */
export const recordedAt = (seq: number, last: boolean): Recorded => ({
  seq,
  pos: seq,
  at: "2026-01-01T00:00:00.000Z",
  dialog: { rootId: ROOT, selfId: ROOT as never },
  event: { type: "dialog.renamed", dialog: ROOT, title: `title ${seq}`, by: "owner" } as unknown as TreeEvent,
  last,
});

const place = { dialog: { rootId: ROOT, selfId: ROOT as never }, agent: "lead", course: 1, genseq: 1 };
export const live = (event: object): LiveEvent => ({ ...place, ...event }) as unknown as LiveEvent;

/**
 * A server as a client sees it, with one tree and one project. It cuts the connection before a given packet, counted over all connections,
 * and loses nothing else.
 */
export class FakeServer {
  readonly log: Recorded[] = [];
  readonly events: ServerPacket[] = [];
  /** The live output so far, replayed to new subscribers. */
  soFar: readonly LiveEvent[] = [];
  /** Every packet received, over all connections. */
  readonly heard: ClientPacket[] = [];
  readonly refusals: Record<string, { code: string; message: string }> = {};
  isThere = true;
  isSilent = false;
  floor = 0;
  cutAt = Number.POSITIVE_INFINITY;
  sent = 0;
  opened: FakeSocket[] = [];

  get Socket(): SocketMaker {
    // oxlint-disable-next-line typescript/no-this-alias -- the class below has a `this` of its own
    const server = this;
    return class extends FakeSocket {
      constructor(url: string, protocols: string[]) {
        super(server, url, protocols);
      }
    };
  }

  commit(events: readonly Recorded[]): void {
    this.log.push(...events);
    for (const socket of this.opened) if (socket.isWatching) for (const one of events) socket.tell({ type: "recorded", ...one });
  }

  say(event: LiveEvent): void {
    for (const socket of this.opened) if (socket.isWatching) socket.tell(event);
  }

  tellProject(packets: readonly ServerPacket[]): void {
    this.events.push(...packets);
    for (const socket of this.opened) if (socket.isWatchingProject) for (const one of packets) socket.tell(one);
  }

  cut(code = 1006): void {
    for (const socket of this.opened) socket.end(code);
  }
}

export class FakeSocket implements Socket {
  onmessage: Socket["onmessage"] = null;
  onclose: Socket["onclose"] = null;
  onerror: Socket["onerror"] = null;
  isWatching = false;
  isWatchingProject = false;
  #isOver = false;
  readonly #server: FakeServer;
  readonly url: string;
  readonly protocols: readonly string[];

  constructor(server: FakeServer, url: string, protocols: string[]) {
    this.#server = server;
    this.url = url;
    this.protocols = protocols;
    // Like a real socket, it does nothing before its creator can add listeners.
    queueMicrotask(() => {
      if (!server.isThere) return this.end(1006);
      server.opened.push(this);
      this.tell({ type: "welcome", protocol: 1, version: "1", user: "owner", role: "owner", projects: [] });
    });
  }

  tell(packet: ServerPacket): void {
    const server = this.#server;
    if (this.#isOver || server.isSilent) return;
    server.sent += 1;
    if (server.sent >= server.cutAt) {
      server.cutAt = Number.POSITIVE_INFINITY;
      return this.end(1006);
    }
    this.onmessage?.({ data: JSON.stringify(packet) });
  }

  send(text: string): void {
    if (this.#isOver) return;
    const server = this.#server;
    const packet = JSON.parse(text) as ClientPacket;
    server.heard.push(packet);
    const { requestId, type } = packet;
    const refusal = server.refusals[type];
    if (refusal) return this.tell({ type: "refused", requestId, ...refusal } as ServerPacket);
    if (packet.type === "subscribe" && packet.dialog) return this.#subscribe(requestId, packet.after ?? server.log.length);
    if (packet.type === "subscribe") return this.#subscribeProject(requestId, packet.after);
    if (packet.type === "unsubscribe" || packet.type === "presence") return this.tell({ type: "accepted", requestId, seq: 0 });
    throw new Error(`The client sends commands over HTTP, not ${type}.`);
  }

  #subscribe(requestId: string, after: number): void {
    const { log, soFar } = this.#server;
    this.tell({ type: "accepted", requestId, seq: log.length });
    this.isWatching = true;
    for (const one of log.filter(({ seq }) => seq > after)) this.tell({ type: "recorded", ...one });
    for (const event of soFar) this.tell(event);
  }

  #subscribeProject(requestId: string, after: number | undefined): void {
    const { events, floor } = this.#server;
    const pos = Math.max(floor, ...events.map((one) => ("pos" in one ? (one.pos ?? 0) : 0)));
    if (after !== undefined && after < floor)
      return this.tell({ type: "refused", requestId, code: "too_far_behind", message: "Too much has happened." });
    this.tell({ type: "accepted", requestId, seq: pos, pos });
    this.isWatchingProject = true;
    for (const one of events) if ("pos" in one && (one.pos ?? 0) > (after ?? pos)) this.tell(one);
  }

  end(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#server.opened = this.#server.opened.filter((one) => one !== this);
    this.onclose?.({ code, reason: "" });
  }

  close(): void {
    this.#isOver = true;
    this.#server.opened = this.#server.opened.filter((one) => one !== this);
  }
}

/** A server's HTTP side: it takes commands of the project `shop`. */
export class FakeHttp {
  /** The paths of all requests. */
  readonly heard: string[] = [];
  /** The effects of commands, by `msgId`. */
  readonly effects = new Map<string, number>();
  isThere = true;
  lostAnswers = 0;
  refusal: { readonly code: string; readonly message: string } | undefined;

  readonly fetch: Fetch = async (url, { body = "{}" }) => {
    if (!this.isThere) throw new Error("nobody is there");
    this.heard.push(new URL(url).pathname.replace("/api/projects/shop", ""));
    const answer = (status: number, told: object) => ({ status, headers: { get: () => null }, text: async () => JSON.stringify(told) });
    if (this.refusal) return answer(409, { error: this.refusal });
    const { msgId } = JSON.parse(body as string) as { msgId: string };
    if (!this.effects.has(msgId)) this.effects.set(msgId, this.effects.size + 1);
    if (this.lostAnswers-- > 0) throw new Error("the answer was lost");
    return answer(200, { seq: this.effects.get(msgId) });
  };
}

/** A browser's storage. */
export class FakeStorage {
  readonly #entries = new Map<string, string>();
  isFull = false;
  get length(): number {
    return this.#entries.size;
  }
  key(nth: number): string | null {
    return [...this.#entries.keys()][nth] ?? null;
  }
  getItem(key: string): string | null {
    return this.#entries.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    if (this.isFull) throw new Error("QuotaExceededError");
    this.#entries.set(key, value);
  }
  removeItem(key: string): void {
    this.#entries.delete(key);
  }
}

/** Lets pending promises continue. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
