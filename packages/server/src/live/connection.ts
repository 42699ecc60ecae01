import type { Socket } from "node:net";
import { randomUUID } from "node:crypto";
import { ClientPacket, CLOSE_CODES, PROTOCOL, type ServerPacket, Refused } from "@colloquy/schema";
import type { RawData, WebSocket } from "ws";
import type { Context } from "../api/context.ts";
import type { Caller } from "../access/caller.ts";
import { Frame } from "./frame.ts";
import { BODY_BYTES, tooLarge } from "../api/handler.ts";
import { type CommandPacket, onPacket, projectsFor, theProject, whereIs } from "./on-packet.ts";
import { parsedJson } from "../http/json-text.ts";
import { LOW_BUFFERED_BYTES, type Outlet } from "./outlet.ts";
import { type Pace, realPace } from "./pace.ts";
import { demandWhole, problemOf, read } from "../http/problem.ts";
import { Allowance } from "../access/allowance.ts";

/** Packets of one socket in progress at once; beyond that we stop reading from it. */
const MAX_PACKETS_AT_ONCE = 256;
/** Subscriptions per socket. */
const MAX_SUBSCRIPTIONS = 10_000;
/** Grace period in which a disconnected reader may still receive buffered frames and the reason. */
const LAST_MS = 30_000;
const GOODBYE_MS = 5_000;
/** Answered packets above the rate limit; a client that sends more is disconnected. */
const MAX_EXCESS_PER_SECOND = 100;
const MAX_EXCESS_AT_ONCE = 1_000;

/** The WebSocket and its TCP stream: frames shared by many sockets are encoded once and written directly to TCP. */
export interface Sockets {
  readonly ws: WebSocket;
  readonly stream: Socket;
}

/** The caller, and how many more packets they may send. */
export interface Client {
  readonly caller: Caller;
  readonly allowance: Allowance;
}

/** One socket: packets in, packets out. An invalid packet is refused; the socket stays open. */
export class Connection implements Outlet {
  readonly format = "ws";
  readonly #id = randomUUID().slice(0, 8);
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  readonly #caller: Caller;
  readonly #context: Context;
  readonly #allowance: Allowance;
  readonly #pace: Pace;
  readonly #subscriptions = new Map<string, { readonly projectId: string; readonly stop: () => void }>();
  /** Commands for one tree run in the order of arrival. */
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #present = new Set<string>();
  readonly #excess: Allowance;
  #atWork = 0;
  #isCut = false;
  /** The client leaves its answers unread. */
  #isUnread = false;
  #isPaused = false;

  constructor({ ws, stream }: Sockets, { caller, allowance }: Client, context: Context, pace: Pace = realPace) {
    this.#ws = ws;
    this.#socket = stream;
    this.#caller = caller;
    this.#context = context;
    this.#allowance = allowance;
    this.#pace = pace;
    this.#excess = new Allowance(MAX_EXCESS_PER_SECOND, MAX_EXCESS_AT_ONCE, () => pace.nowMs());
    ws.on("message", (data, isBinary) => this.#receive(data, isBinary));
    ws.on("close", () => this.#closed());
    ws.on("error", () => undefined); // the close event follows
    this.#welcome();
  }

  get isNode(): boolean {
    return this.#caller.isNode === true;
  }

  get isOpen(): boolean {
    return !this.#isCut && this.#ws.readyState === this.#ws.OPEN;
  }

  get buffered(): number {
    return this.#socket.writableLength;
  }

  write(frames: Buffer): void {
    this.#socket.write(frames);
  }

  send(packet: ServerPacket): void {
    if (!this.isOpen) return;
    this.write(new Frame(packet).as("ws"));
    if (this.#isUnread || this.buffered <= LOW_BUFFERED_BYTES) return;
    this.#isUnread = true;
    this.#pauseOrResume();
    void this.drained().then(() => {
      this.#isUnread = false;
      this.#pauseOrResume();
    });
  }

  /** Reads no packets while too many are in progress, or while the client doesn't read: their answers would pile up. */
  #pauseOrResume(): void {
    const isPaused = this.#atWork >= MAX_PACKETS_AT_ONCE || this.#isUnread;
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#ws.pause();
    else this.#ws.resume();
  }

  drained(): Promise<void> {
    if (this.buffered <= LOW_BUFFERED_BYTES || !this.isOpen) return Promise.resolve();
    return new Promise((resolve) => {
      const go = () => {
        this.#socket.off("drain", go).off("close", go);
        resolve();
      };
      this.#socket.on("drain", go).on("close", go);
    });
  }

  cut(): void {
    this.#disconnect(CLOSE_CODES.tooSlow, "too slow: come back and resume from your cursor", LAST_MS);
  }

  #disconnect(code: number, reason: string, graceMs: number): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#ws.close(code, reason);
    this.#pace.later(graceMs, () => this.#ws.terminate());
  }

  /** False once the caller may no longer read it. */
  async look(): Promise<void> {
    await this.#refresh();
    if (projectsOrNone(this.#caller, this.#context).length === 0) this.#ws.close(CLOSE_CODES.refused, "this token is no longer valid");
  }

  async #refresh(): Promise<void> {
    await this.#caller.refresh();
    for (const [key, { projectId }] of this.#subscriptions) if (this.#caller.roleIn(projectId) === undefined) this.#drop(key);
  }

  /** The server is stopping: tells the client to reconnect. */
  dismiss(): void {
    this.#ws.close(CLOSE_CODES.stopping, "the server stops: come back and resume from your cursor");
    this.#pace.later(GOODBYE_MS, () => this.#ws.terminate());
  }

  #welcome(): void {
    const projects = projectsOrNone(this.#caller, this.#context);
    this.send({
      type: "welcome",
      protocol: PROTOCOL,
      version: this.#context.version,
      user: this.#caller.user,
      role: projects.map(({ id }) => this.#caller.roleIn(id))[0] ?? "viewer",
      projects: projects.map((one) => ({ ...one.row(), pos: one.hub.pos })),
    });
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#isCut) return;
    const wait = this.#allowance.take();
    if (wait > 0) {
      if (this.#excess.take() > 0) {
        this.#disconnect(CLOSE_CODES.tooFast, "too fast: slow down, then resume from your cursor", GOODBYE_MS);
        return;
      }
      this.#refuse(
        undefined,
        new Refused({ code: "rate_limited", message: `Too many packets. Try again in ${Math.ceil(wait / 1_000)} s.` }),
      );
      return;
    }
    let given: unknown;
    try {
      if (isBinary) throw new Refused({ code: "bad_request", message: "Packets are text, not binary." });
      if (bytesIn(data) > BODY_BYTES) throw tooLarge();
      given = parsedJson(decode(data), "Packet");
      const packet = read(ClientPacket, given, "Packet");
      this.#atWork++;
      this.#pauseOrResume();
      void this.#take(packet).finally(() => {
        this.#atWork--;
        this.#pauseOrResume();
      });
    } catch (error) {
      this.#refuse(requestIdOf(given), error);
    }
  }

  async #take(packet: ClientPacket): Promise<void> {
    try {
      await this.#refresh();
      if (packet.type === "subscribe") await this.#subscribe(packet);
      else if (packet.type === "unsubscribe") await this.#unsubscribe(packet);
      else if (packet.type === "presence") this.#presence(packet);
      else await this.#inOrder(packet, () => this.#command(packet));
    } catch (error) {
      this.#refuse(packet.requestId, error);
    }
  }

  async #command(packet: CommandPacket): Promise<void> {
    const { seq, ack, dialog } = await onPacket(packet, this.#caller, this.#context);
    this.send({
      type: "accepted",
      requestId: packet.requestId,
      ...(packet.msgId !== undefined && { msgId: packet.msgId }),
      seq,
      ...(dialog && { dialog }),
      ...(ack !== undefined && { ack }),
    });
  }

  async #inOrder(packet: CommandPacket, work: () => Promise<void>): Promise<void> {
    const lane = "dialog" in packet && packet.dialog ? packet.dialog.rootId : "questionId" in packet ? packet.questionId : "new";
    const before = this.#lanes.get(lane) ?? Promise.resolve();
    const mine = before.then(work);
    const settled = mine.catch(() => undefined); // a failure refuses its own packet, not the next ones
    this.#lanes.set(lane, settled);
    try {
      await mine;
    } finally {
      if (this.#lanes.get(lane) === settled) this.#lanes.delete(lane);
    }
  }

  async #subscribe({ requestId, dialog, project, after, only }: Extract<ClientPacket, { type: "subscribe" }>): Promise<void> {
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS)
      throw new Refused({ code: "bad_request", message: `A socket may have at most ${MAX_SUBSCRIPTIONS} subscriptions.` });
    if (!dialog) {
      const { id, hub } = theProject(project, this.#caller, this.#context);
      if (only === "live") {
        this.send({ type: "accepted", requestId, seq: hub.pos, pos: hub.pos });
        return this.#keep(`project ${id}`, id, () => hub.watchLive(undefined, undefined, this));
      }
      const pos = after ?? hub.pos;
      if (pos > hub.pos) throw new Refused({ code: "bad_request", message: `after: the project is at ${hub.pos}, not at ${pos}.` });
      hub.demand(pos);
      this.send({ type: "accepted", requestId, seq: hub.pos, pos: hub.pos });
      this.#keep(`project ${id}`, id, () => hub.watchProject(pos, this));
      return;
    }
    const { served, place } = await whereIs(dialog, project, this.#caller, this.#context);
    demandWhole(served.project.dialogs, place.rootId);
    const seq = await served.project.dialogs.head(place);
    const from = after ?? seq;
    if (from > seq) throw new Refused({ code: "bad_request", message: `after: the log ends at ${seq}, not at ${from}.` });
    if (!this.isOpen) return;
    this.send({ type: "accepted", requestId, seq });
    const { hub, id } = served;
    const self = dialog.selfId === undefined ? undefined : place.selfId;
    this.#keep(`dialog ${place.rootId}`, id, () =>
      only === "live" ? hub.watchLive(place.rootId, self, this) : hub.watchTree(place.rootId, self, from, this),
    );
  }

  /** A second subscription to the same stream replaces the first. */
  #keep(key: string, projectId: string, watch: () => () => void): void {
    this.#drop(key);
    this.#subscriptions.set(key, { projectId, stop: watch() });
  }

  #drop(key: string): void {
    this.#subscriptions.get(key)?.stop();
    this.#subscriptions.delete(key);
  }

  async #unsubscribe({ requestId, dialog, project }: Extract<ClientPacket, { type: "unsubscribe" }>): Promise<void> {
    const key = dialog ? `dialog ${dialog.rootId}` : `project ${theProject(project, this.#caller, this.#context).id}`;
    this.#drop(key);
    this.send({ type: "accepted", requestId, seq: 0 });
  }

  #presence({ requestId, project, questionId, writing }: Extract<ClientPacket, { type: "presence" }>): void {
    for (const { id, hub } of projectsFor(project, this.#caller, this.#context)) {
      this.#present.add(id);
      const more = { ...(questionId !== undefined && { questionId }), ...(writing !== undefined && { writing }) };
      const who = { type: "presence", projectId: id, user: this.#caller.nameIn(id), client: this.#id } as const;
      const frame = new Frame({ ...who, ...more });
      // Leaving is announced once and not repeated to later readers.
      hub.present(questionId === undefined ? undefined : frame, frame, this);
    }
    this.send({ type: "accepted", requestId, seq: 0 });
  }

  #refuse(requestId: string | undefined, error: unknown): void {
    const { code, message, question } = problemOf(error, this.#context.report);
    this.send({ type: "refused", ...(requestId !== undefined && { requestId }), code, message, ...(question && { question }) });
  }

  #closed(): void {
    for (const { stop } of this.#subscriptions.values()) stop();
    this.#subscriptions.clear();
    for (const { id, hub } of this.#context.projects()) {
      if (!this.#present.has(id)) continue;
      hub.present(
        undefined,
        new Frame({ type: "presence", projectId: id, user: this.#caller.nameIn(id), client: this.#id, gone: true }),
        this,
      );
    }
  }
}

const projectsOrNone = (caller: Caller, context: Context) => context.projects().filter(({ id }) => caller.roleIn(id) !== undefined);

const decode = (data: RawData): string =>
  Array.isArray(data) ? Buffer.concat(data).toString() : data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString();

const bytesIn = (data: RawData): number => (Array.isArray(data) ? data.reduce((sum, part) => sum + part.length, 0) : data.byteLength);

const requestIdOf = (given: unknown): string | undefined => {
  const id = given !== null && typeof given === "object" && "requestId" in given ? given.requestId : undefined;
  return typeof id === "string" && id.length <= 200 ? id : undefined;
};
