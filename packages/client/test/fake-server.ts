import type { ClientPacket, LiveEvent, Recorded, RootId, ServerPacket, TreeEvent } from "@colloquy/schema";
import type { Clock, Socket, SocketMaker } from "../src/index.ts";

export const ROOT = "0190a0b0c0d000000000000000000001" as RootId;

/** Time that passes when it is told to. */
export class HandClock implements Clock {
  readonly #due: { at: number; act: () => void }[] = [];
  now = 0;

  after(ms: number, act: () => void): () => void {
    const one = { at: this.now + ms, act };
    this.#due.push(one);
    return () => void this.#due.splice(this.#due.indexOf(one) >>> 0, this.#due.includes(one) ? 1 : 0);
  }

  chance = (): number => 1;

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

/** An event of a tree's log that only has a place. */
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
 * A server as far as a client can tell: one tree, one project. It cuts the connection before the packet of the number that it is
 * told, counted over all connections, and forgets nothing but that connection.
 */
export class FakeServer {
  readonly log: Recorded[] = [];
  readonly events: ServerPacket[] = [];
  /** What was being said when somebody joins. */
  soFar: readonly LiveEvent[] = [];
  /** Every packet that came, over any connection. */
  readonly heard: ClientPacket[] = [];
  /** The effects of commands, by `msgId`. */
  readonly effects = new Map<string, number>();
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
    // As real ones do: nothing happens before whoever made it can listen.
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
    const msgId = packet.msgId ?? "";
    if (!server.effects.has(msgId)) server.effects.set(msgId, server.effects.size + 1);
    this.tell({ type: "accepted", requestId, msgId, seq: server.effects.get(msgId) ?? 0 });
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

/** Lets promises go on. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
