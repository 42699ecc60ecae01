import { EventEmitter } from "node:events";
import type { Fetch, Socket, SocketMaker } from "@colloquy/client";
import type { Chance } from "./chance.ts";
import type { Life, Schedule } from "./schedule.ts";
import { type Breakable, StreamWire } from "./stream-wire.ts";

/** The part of the server library's WebSocket that a connection uses. */
export class ServerSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  readonly wire: Wire;
  #isPaused = false;
  #held: string[] = [];

  constructor(wire: Wire) {
    super();
    this.wire = wire;
  }

  close(code: number, reason: string): void {
    if (this.readyState !== this.OPEN) return;
    this.readyState = 2;
    this.wire.endFromServer(code, reason);
  }

  terminate(): void {
    this.wire.cut();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const text of this.#held.splice(0)) this.receive(text);
  }

  receive(text: string): void {
    if (this.#isPaused) this.#held.push(text);
    else if (this.readyState === this.OPEN) this.emit("message", Buffer.from(text), false);
  }
}

/** The TCP stream below the server's WebSocket: bytes in flight. */
export class ServerStream extends EventEmitter {
  writableLength = 0;
  readonly #send: (bytes: Buffer, taken: () => void) => void;

  constructor(send: (bytes: Buffer, taken: () => void) => void) {
    super();
    this.#send = send;
  }

  write(bytes: Buffer): void {
    this.writableLength += bytes.length;
    this.#send(bytes, () => {
      this.writableLength -= bytes.length;
      if (this.writableLength === 0) this.emit("drain");
    });
  }
}

interface StreamOptions {
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
}

/** The server's side: accepts sockets and handles requests. */
export interface Listener {
  readonly life: Life;
  accept(socket: ServerSocket, stream: ServerStream, token: string): void;
  answer(request: Request, token: string): Promise<Response>;
}

/** One connection. Bytes arrive in order, until it breaks. */
class Wire implements Breakable {
  readonly client: Socket;
  readonly server: ServerSocket;
  readonly stream: ServerStream;
  readonly #network: Network;
  readonly #serverLife: Life;
  readonly #clientLife: Life;
  #isCut = false;
  /** Nothing gets through, and neither side knows. */
  isSilent = false;
  #clientBusyUntil = 0;
  #serverBusyUntil = 0;
  #inbound: string[] | undefined;
  readonly #outbound: { readonly bytes: Buffer; readonly taken: () => void }[] = [];

  constructor(network: Network, client: Socket, clientLife: Life, listener: Listener) {
    this.#network = network;
    this.client = client;
    this.#clientLife = clientLife;
    this.#serverLife = listener.life;
    this.server = new ServerSocket(this);
    this.stream = new ServerStream((bytes, taken) => this.#toClient(bytes, taken));
  }

  get isOpen(): boolean {
    return !this.#isCut && !this.#serverLife.isOver;
  }

  toServer(text: string): void {
    if (this.#isCut || this.isSilent) return;
    // Bytes in flight together mostly arrive at once.
    if (this.#inbound) return void this.#inbound.push(text);
    const { schedule } = this.#network;
    const inbound = (this.#inbound = [text]);
    this.#serverBusyUntil = Math.max(this.#serverBusyUntil, schedule.nowMs + this.#network.latency());
    schedule.after(this.#serverLife, this.#serverBusyUntil - schedule.nowMs, () => {
      this.#inbound = undefined;
      if (!this.#isCut && !this.isSilent) for (const one of inbound) this.server.receive(one);
    });
  }

  #toClient(bytes: Buffer, taken: () => void): void {
    if (this.#isCut || this.isSilent || this.#serverLife.isOver) return;
    const { schedule } = this.#network;
    this.#clientBusyUntil = Math.max(this.#clientBusyUntil, schedule.nowMs + this.#network.latency());
    // Two deliveries due together keep their order, despite rounding.
    this.#outbound.push({ bytes, taken });
    schedule.after(this.#clientLife, this.#clientBusyUntil - schedule.nowMs, () => {
      const next = this.#outbound.shift();
      if (!next || this.#isCut || this.isSilent) return;
      if (!this.#serverLife.isOver) next.taken();
      for (const text of framesIn(next.bytes)) if (!this.#isCut) this.client.onmessage?.({ data: text });
    });
  }

  /** The server closes; bytes written before arrive first. */
  endFromServer(code: number, reason: string): void {
    const { schedule } = this.#network;
    const ms = Math.max(this.#clientBusyUntil - schedule.nowMs, 0) + this.#network.latency();
    schedule.after(this.#clientLife, ms, () => {
      if (this.#isCut) return;
      this.#isCut = true;
      this.client.onclose?.({ code, reason });
    });
    schedule.after(this.#serverLife, ms, () => this.#serverHears());
  }

  /** Both sides notice, each in its own time. */
  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    const { schedule } = this.#network;
    schedule.after(this.#clientLife, this.#network.latency(), () => this.client.onclose?.({ code: 1006, reason: "" }));
    schedule.after(this.#serverLife, this.#network.latency(), () => this.#serverHears());
  }

  /** The client has left. */
  left(): void {
    this.#isCut = true;
    this.#network.schedule.after(this.#serverLife, this.#network.latency(), () => this.#serverHears());
  }

  #serverHears(): void {
    if (this.server.readyState === 3) return;
    this.server.readyState = 3;
    this.stream.emit("close");
    this.server.emit("close");
  }
}

/** Between people's pages and the process that serves at the moment. */
export class Network {
  readonly schedule: Schedule;
  readonly #chance: Chance;
  readonly #wires = new Set<Breakable>();
  listener: Listener | undefined;
  /** Failures off. */
  isCalm = false;

  constructor(schedule: Schedule, chance: Chance) {
    this.schedule = schedule;
    this.#chance = chance;
  }

  latency(): number {
    return this.#chance.wait(0.1, this.isCalm ? 2 : 60);
  }

  /** Breaks or silences one connection. False if there is none. */
  breakOne(): boolean {
    const wire = this.#chance.pick([...this.#open()]);
    if (!wire) return false;
    if (this.#chance.is(0.3)) wire.isSilent = true;
    else wire.cut();
    return true;
  }

  /** Breaks all connections, when their process is gone. */
  breakAll(): void {
    for (const wire of this.#wires) wire.cut();
    this.#wires.clear();
  }

  *#open(): Generator<Breakable> {
    for (const wire of this.#wires) {
      if (wire.isOpen) yield wire;
      else this.#wires.delete(wire);
    }
  }

  /** The sockets of one page. */
  socketsOf(page: Life, token: string): SocketMaker {
    const connect = (client: Socket): ((text: string) => void) & { close(): void } => {
      let wire: Wire | undefined;
      let isClosed = false;
      this.schedule.after(page, this.latency(), () => {
        const { listener } = this;
        if (isClosed) return;
        if (!listener || listener.life.isOver) return client.onclose?.({ code: 1006, reason: "" });
        wire = new Wire(this, client, page, listener);
        this.#wires.add(wire);
        listener.accept(wire.server, wire.stream, token);
      });
      const close = () => {
        isClosed = true;
        if (wire?.isOpen) wire.left();
      };
      return Object.assign((text: string) => wire?.toServer(text), { close });
    };
    return class implements Socket {
      onmessage: Socket["onmessage"] = null;
      onclose: Socket["onclose"] = null;
      onerror: Socket["onerror"] = null;
      readonly #wire = connect(this);

      send(text: string): void {
        this.#wire(text);
      }

      close(): void {
        this.#wire.close();
      }
    };
  }

  /** Requests of one page; either direction may fail. */
  fetchOf(page: Life, token: string): Fetch {
    return async (url, { method, headers, body }) => {
      await this.schedule.sleep(page, this.latency());
      const { listener } = this;
      if (!listener || listener.life.isOver || this.#isLost()) throw new Error("no connection");
      const request = new Request(url, { method, headers, ...(body !== undefined && { body }) });
      const answer = await this.#answer(listener, { page, token }, request, async (response) => ({
        status: response.status,
        headers: response.headers,
        text: await response.text(),
      }));
      if (!answer || this.#isLost()) throw new Error("the connection broke");
      await this.schedule.sleep(page, this.latency());
      return { status: answer.status, headers: answer.headers, text: async () => answer.text };
    };
  }

  /** A streamed response, as for server-sent events; the signal ends it. */
  async stream(page: Life, token: string, url: string, { headers, signal }: StreamOptions): Promise<Response> {
    await this.schedule.sleep(page, this.latency());
    const { listener } = this;
    if (!listener || listener.life.isOver || signal.aborted || this.#isLost()) throw new Error("no connection");
    const response = await this.#answer(listener, { page, token }, new Request(url, { headers }), async (one) => one);
    if (!response || signal.aborted) throw new Error("the connection broke");
    if (!response.body || response.status !== 200) return response;
    const wire = new StreamWire(this, page, listener.life, response.body);
    this.#wires.add(wire);
    this.schedule.onAbort(signal, () => wire.cut());
    return new Response(wire.body, { status: 200 });
  }

  /** Undefined if the process dies first; the page notices after a while. */
  async #answer<Answer>(
    listener: Listener,
    { page, token }: { readonly page: Life; readonly token: string },
    request: Request,
    take: (response: Response) => Promise<Answer>,
  ): Promise<Answer | undefined> {
    const answered = Promise.withResolvers<Answer>();
    let isAnswered = false;
    void listener.answer(request, token).then(async (response) => {
      isAnswered = true;
      const answer = await take(response);
      if (!listener.life.isOver) answered.resolve(answer);
    });
    const patience = async () => {
      while (!listener.life.isOver && !isAnswered) await this.schedule.sleep(page, 500);
      return isAnswered && !listener.life.isOver ? answered.promise : undefined;
    };
    return Promise.race([answered.promise, patience()]);
  }

  somewhereIn(bytes: Uint8Array): number {
    return this.#chance.is(0.3) ? this.#chance.below(bytes.length) : bytes.length;
  }

  #isLost(): boolean {
    return !this.isCalm && this.#chance.is(0.05);
  }
}

/** The texts of the server's frames. */
function* framesIn(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length;) {
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
    yield bytes.toString("utf8", at + head, at + head + length);
    at += head + length;
  }
}
