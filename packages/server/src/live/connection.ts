import type { Socket } from "node:net";
import { randomUUID } from "node:crypto";
import { ClientPacket, CLOSE_CODES, PROTOCOL, type ServerPacket } from "@colloquy/schema";
import type { RawData, WebSocket } from "ws";
import type { Context } from "../api/context.ts";
import type { Caller } from "../access/caller.ts";
import { Frame } from "./frame.ts";
import { BODY_BYTES, tooLarge } from "../api/handler.ts";
import { type CommandPacket, onPacket, projectsFor, theProject, whereIs } from "./on-packet.ts";
import { parsedJson } from "../http/json-text.ts";
import { LOW_BUFFERED_BYTES, type Outlet } from "./outlet.ts";
import { type Pace, realPace } from "./pace.ts";
import { demandWhole, Problem, problemOf, read } from "../http/problem.ts";
import type { Allowance } from "../access/allowance.ts";

/** Packets of one socket that are worked on at once; beyond that we stop reading from it. */
const MAX_PACKETS_AT_ONCE = 256;
/** What one socket may watch. */
const MAX_SUBSCRIPTIONS = 10_000;
/** A reader who was cut gets this long to take what is under way, and with it the reason. */
const LAST_MS = 30_000;
const GOODBYE_MS = 5_000;

/** One socket: packets in, packets out. Bad packets are refused one by one, and the socket lives. */
export class Connection implements Outlet {
  readonly format = "ws";
  readonly #id = randomUUID().slice(0, 8);
  readonly #ws: WebSocket;
  /** Below the WebSocket: frames that many sockets share are made once and written as they are. */
  readonly #socket: Socket;
  readonly #caller: Caller;
  readonly #context: Context;
  readonly #allowance: Allowance;
  readonly #pace: Pace;
  readonly #subscriptions = new Map<string, () => void>();
  /** Commands to one tree are taken in the order in which they came. */
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #present = new Set<string>();
  #atWork = 0;
  #isCut = false;

  constructor(ws: WebSocket, socket: Socket, caller: Caller, context: Context, allowance: Allowance, pace: Pace = realPace) {
    this.#ws = ws;
    this.#socket = socket;
    this.#caller = caller;
    this.#context = context;
    this.#allowance = allowance;
    this.#pace = pace;
    ws.on("message", (data, isBinary) => this.#receive(data, isBinary));
    ws.on("close", () => this.#closed());
    ws.on("error", () => undefined); // its close follows, and says all there is to say
    this.#welcome();
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
    if (this.isOpen) this.write(new Frame(packet).as("ws"));
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
    if (this.#isCut) return;
    this.#isCut = true;
    this.#ws.close(CLOSE_CODES.tooSlow, "too slow: come back and resume from your cursor");
    this.#pace.later(LAST_MS, () => this.#ws.terminate());
  }

  /** Is it still somebody's business? */
  async look(): Promise<void> {
    await this.#caller.refresh();
    if (projectsOrNone(this.#caller, this.#context).length === 0) this.#ws.close(CLOSE_CODES.refused, "this token is not known any more");
  }

  /** The server goes; whoever was here comes back to the next one. */
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
    const wait = this.#allowance.take();
    if (wait > 0) {
      this.#refuse(undefined, new Problem("rate_limited", `Too many packets. Try again in ${Math.ceil(wait / 1_000)} s.`));
      return;
    }
    let given: unknown;
    try {
      if (isBinary) throw new Problem("bad_request", "Packets are text, not binary.");
      if (bytesIn(data) > BODY_BYTES) throw tooLarge();
      given = parsedJson(decode(data), "Packet");
      const packet = read(ClientPacket, given, "Packet");
      this.#atWork++;
      if (this.#atWork === MAX_PACKETS_AT_ONCE) this.#ws.pause();
      void this.#take(packet).finally(() => {
        if (this.#atWork-- === MAX_PACKETS_AT_ONCE) this.#ws.resume();
      });
    } catch (error) {
      this.#refuse(requestIdOf(given), error);
    }
  }

  async #take(packet: ClientPacket): Promise<void> {
    try {
      await this.#caller.refresh();
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
    const settled = mine.catch(() => undefined); // its own packet is refused; those behind it are not
    this.#lanes.set(lane, settled);
    try {
      await mine;
    } finally {
      if (this.#lanes.get(lane) === settled) this.#lanes.delete(lane);
    }
  }

  async #subscribe({ requestId, dialog, project, after }: Extract<ClientPacket, { type: "subscribe" }>): Promise<void> {
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS)
      throw new Problem("bad_request", `More than ${MAX_SUBSCRIPTIONS} subscriptions are not kept for one socket.`);
    if (!dialog) {
      const { id, hub } = theProject(project, this.#caller, this.#context);
      const pos = after ?? hub.pos;
      if (pos > hub.pos) throw new Problem("bad_request", `after: the project is at ${hub.pos}, not at ${pos}.`);
      hub.demand(pos);
      this.send({ type: "accepted", requestId, seq: hub.pos, pos: hub.pos });
      this.#keep(`project ${id}`, () => hub.watchProject(pos, this));
      return;
    }
    const { served, place } = await whereIs(dialog, project, this.#caller, this.#context);
    demandWhole(served.project.dialogs, place.rootId);
    const seq = await served.project.dialogs.head(place);
    const from = after ?? seq;
    if (from > seq) throw new Problem("bad_request", `after: the log ends at ${seq}, not at ${from}.`);
    if (!this.isOpen) return;
    this.send({ type: "accepted", requestId, seq });
    const only = dialog.selfId === undefined ? undefined : place.selfId;
    this.#keep(`dialog ${place.rootId}`, () => served.hub.watchTree(place.rootId, only, from, this));
  }

  /** A second subscription to the same takes the place of the first. */
  #keep(key: string, watch: () => () => void): void {
    this.#subscriptions.get(key)?.();
    this.#subscriptions.set(key, watch());
  }

  async #unsubscribe({ requestId, dialog, project }: Extract<ClientPacket, { type: "unsubscribe" }>): Promise<void> {
    const key = dialog ? `dialog ${dialog.rootId}` : `project ${theProject(project, this.#caller, this.#context).id}`;
    this.#subscriptions.get(key)?.();
    this.#subscriptions.delete(key);
    this.send({ type: "accepted", requestId, seq: 0 });
  }

  #presence({ requestId, project, questionId, writing }: Extract<ClientPacket, { type: "presence" }>): void {
    for (const { id, hub } of projectsFor(project, this.#caller, this.#context)) {
      this.#present.add(id);
      const more = { ...(questionId !== undefined && { questionId }), ...(writing !== undefined && { writing }) };
      const who = { type: "presence", projectId: id, user: this.#caller.user, client: this.#id } as const;
      const frame = new Frame({ ...who, ...more });
      // Who has nothing open is told of once, and is no news to who comes later.
      hub.present(questionId === undefined ? undefined : frame, frame, this);
    }
    this.send({ type: "accepted", requestId, seq: 0 });
  }

  #refuse(requestId: string | undefined, error: unknown): void {
    const { code, message, question } = problemOf(error, this.#context.report);
    this.send({ type: "refused", ...(requestId !== undefined && { requestId }), code, message, ...(question && { question }) });
  }

  #closed(): void {
    for (const stop of this.#subscriptions.values()) stop();
    this.#subscriptions.clear();
    for (const { id, hub } of this.#context.projects()) {
      if (!this.#present.has(id)) continue;
      hub.present(undefined, new Frame({ type: "presence", projectId: id, user: this.#caller.user, client: this.#id, gone: true }), this);
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
