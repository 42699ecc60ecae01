import type { BuiltServer } from "./built-server.ts";
import type { Ledger } from "./ledger.ts";
import { between, type Random } from "./random.ts";

/** The current servers. Clients go to one after the other, and wait here while there is none. */
export class Entrance {
  #servers: readonly BuiltServer[] = [];
  #waiting: (() => void)[] = [];
  #visits = 0;
  isClosing = false;

  /** The only server, or none. */
  set(server: BuiltServer | undefined): void {
    this.#servers = [];
    if (server) this.add(server);
  }

  add(server: BuiltServer): void {
    this.#servers = [...this.#servers, server];
    for (const go of this.#waiting.splice(0)) go();
  }

  remove(server: BuiltServer): void {
    this.#servers = this.#servers.filter((one) => one !== server);
  }

  async open(): Promise<BuiltServer> {
    for (;;) {
      const server = this.#servers[this.#visits++ % Math.max(1, this.#servers.length)];
      if (server) return server;
      await new Promise<void>((go) => this.#waiting.push(go));
    }
  }
}

export interface Client {
  /** Works until the entrance is closing and its messages are acknowledged. */
  work(): Promise<void>;
}

interface Receipt {
  readonly rootId: string;
  readonly seq: number;
}

/** How a writer reaches the server. Returns undefined if the server is gone before it answers. */
export interface Way {
  create(server: BuiltServer, content: string, msgId: string): Promise<Receipt | undefined>;
  send(server: BuiltServer, rootId: string, content: string, msgId: string): Promise<Receipt | undefined>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface WriterOptions {
  readonly entrance: Entrance;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly way: Way;
  readonly paceMs: number;
}

/** Sends message after message. Unacknowledged ones are sent again under the same id; now and then an acknowledged one is, too. */
export class Writer implements Client {
  readonly #name: string;
  readonly #entrance: Entrance;
  readonly #ledger: Ledger;
  readonly #random: Random;
  readonly #way: Way;
  readonly #paceMs: number;
  #count = 0;

  constructor(name: string, { entrance, ledger, random, way, paceMs }: WriterOptions) {
    this.#name = name;
    this.#entrance = entrance;
    this.#ledger = ledger;
    this.#random = random;
    this.#way = way;
    this.#paceMs = paceMs;
  }

  async work(): Promise<void> {
    while (!this.#entrance.isClosing) {
      if (!this.#ledger.hasRoom) {
        await pause(10);
        continue;
      }
      const first = this.#job();
      const { rootId } = await this.#until(first.msgId, first.content, (server) => this.#way.create(server, first.content, first.msgId));
      for (let more = between(this.#random, 0, 2); more > 0 && !this.#entrance.isClosing; more--) {
        const next = this.#job();
        await this.#until(next.msgId, next.content, (server) => this.#way.send(server, rootId, next.content, next.msgId));
      }
      await pause(this.#random() * 2 * this.#paceMs);
    }
  }

  #job(): { readonly msgId: string; readonly content: string } {
    const key = `${this.#name}x${++this.#count}`;
    const kind = ["pay", "decide", "hello"][between(this.#random, 0, 2)];
    return { msgId: key, content: `${kind} ${key}` };
  }

  async #until(msgId: string, content: string, send: (server: BuiltServer) => Promise<Receipt | undefined>): Promise<Receipt> {
    for (;;) {
      const server = await this.#entrance.open();
      const receipt = await send(server);
      if (!receipt) {
        await pause(2);
        continue;
      }
      this.#ledger.acknowledged(msgId, content, receipt.rootId, receipt.seq);
      if (this.#random() < 0.1) {
        const again = await send(server);
        if (again) this.#ledger.acknowledged(msgId, content, again.rootId, again.seq);
      }
      return receipt;
    }
  }
}

export const overHttp: Way = {
  async create(server, content, msgId) {
    const answer = await server.api("POST", "/dialogs", { content, msgId });
    return answer && receiptOf(answer, 201, msgId);
  },
  async send(server, rootId, content, msgId) {
    const answer = await server.api("POST", `/dialogs/${rootId}/messages`, { content, msgId });
    return answer && receiptOf({ ...answer, body: { rootId, ...(answer.body as object) } }, 202, msgId);
  },
};

function receiptOf(
  { status, body }: { readonly status: number; readonly body: unknown },
  wanted: number,
  msgId: string,
): Receipt | undefined {
  if (status === 503) return undefined; // closing or full: it says so, and has accepted nothing
  if (status !== wanted) throw new Error(`${msgId}: ${status} ${JSON.stringify(body)}`);
  return body as Receipt;
}

interface Answer {
  readonly type: string;
  readonly requestId?: string;
  readonly code?: string;
  readonly seq: number;
  readonly dialog?: { readonly rootId: string };
}

interface OpenSocket {
  readonly ws: WebSocket;
  readonly opened: Promise<boolean>;
  readonly waiting: Map<string, (packet: Answer | undefined) => void>;
}

/** One socket per server, opened on first use. */
export function overSocket(): Way {
  const sockets = new WeakMap<BuiltServer, OpenSocket>();
  let requests = 0;
  const connect = (server: BuiltServer): OpenSocket => {
    const waiting: OpenSocket["waiting"] = new Map();
    const ws = new WebSocket(`${server.url.replace("http", "ws")}/ws`, ["colloquy", `colloquy.${server.token}`]);
    const opened = new Promise<boolean>((resolve) => {
      ws.addEventListener("open", () => resolve(true));
      ws.addEventListener("error", () => resolve(false));
      ws.addEventListener("close", () => {
        resolve(false);
        for (const go of waiting.values()) go(undefined);
        waiting.clear();
      });
    });
    ws.addEventListener("message", ({ data }) => {
      const packet = JSON.parse(String(data)) as Answer;
      const go = packet.requestId === undefined ? undefined : waiting.get(packet.requestId);
      if (packet.requestId !== undefined) waiting.delete(packet.requestId);
      go?.(packet);
    });
    return { ws, opened, waiting };
  };
  const ask = async (server: BuiltServer, packet: object, msgId: string): Promise<Receipt | undefined> => {
    const known = sockets.get(server);
    const socket = known && known.ws.readyState <= WebSocket.OPEN ? known : connect(server);
    sockets.set(server, socket);
    if (!(await socket.opened)) return undefined;
    const requestId = `r${++requests}`;
    const { ws, waiting } = socket;
    const answer = await new Promise<Answer | undefined>((resolve) => {
      waiting.set(requestId, resolve);
      if (ws.readyState === WebSocket.OPEN) ws.send(JSON.stringify({ ...packet, requestId, msgId }));
      else resolve(undefined);
    });
    if (!answer) return undefined;
    if (answer.type !== "accepted" && answer.code === "unavailable") return undefined;
    if (answer.type !== "accepted") throw new Error(`${msgId}: ${JSON.stringify(answer)}`);
    return { rootId: answer.dialog?.rootId ?? "", seq: answer.seq };
  };
  return {
    create: (server, content, msgId) => ask(server, { type: "create_dialog", content }, msgId),
    async send(server, rootId, content, msgId) {
      const receipt = await ask(server, { type: "drive_dlg_by_user_msg", dialog: { rootId }, content }, msgId);
      return receipt && { ...receipt, rootId };
    },
  };
}

/** A person at the inbox. Several of them race for every question; the first counts. */
export class Answerer implements Client {
  readonly #name: string;
  readonly #entrance: Entrance;
  readonly #ledger: Ledger;
  readonly #random: Random;

  constructor(name: string, entrance: Entrance, ledger: Ledger, random: Random) {
    this.#name = name;
    this.#entrance = entrance;
    this.#ledger = ledger;
    this.#random = random;
  }

  async work(): Promise<void> {
    while (!this.#entrance.isClosing) {
      await this.look();
      await pause(5 + this.#random() * 30);
    }
  }

  /** Answers the open questions. Returns their number; nothing if the server is gone. */
  async look(): Promise<number | undefined> {
    const server = await this.#entrance.open();
    const open = await server.api("GET", "/questions?status=open&limit=100");
    if (open?.status !== 200) return undefined;
    const { questions } = open.body as { questions: { id: string; kind: string; shown: string }[] };
    for (const { id, kind } of questions) {
      // A step that was in flight during three crashes asks whether to continue, and so does one that took days by the clock.
      const isWork = kind === "question";
      const body = { ...(isWork ? { content: `${this.#name} says red` } : { choice: 0 }), msgId: `${this.#name}-${id}` };
      const answer = await server.api("POST", `/questions/${id}/answer`, body);
      if (!answer) return undefined;
      if (answer.status === 200) {
        if (isWork) this.#ledger.answered(id, `${this.#name} says red`, (answer.body as { seq: number }).seq);
      } else if (![404, 409, 503].includes(answer.status)) throw new Error(`${id}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return questions.length;
  }
}
