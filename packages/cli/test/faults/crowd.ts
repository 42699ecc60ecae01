import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BuiltServer } from "./built-server.ts";
import { Answerer, type Client, Entrance, overHttp, overSocket, Writer } from "./clients.ts";
import { Ledger, type Told } from "./ledger.ts";
import { randomFrom } from "./random.ts";
import { makeShop, paidIn } from "./shop.ts";

export interface Report {
  readonly name: string;
  readonly problems: readonly string[];
  readonly line: string;
}

export interface CrowdOptions {
  readonly dir?: string;
  /** Folders of several servers that share the project. */
  readonly dirs?: readonly string[];
  /** Fills a folder. */
  readonly make?: (dir: string) => void;
  readonly paceMs?: number;
  /** Reads a tree's log; default: from the server that is checked. */
  readonly read?: ReadLog;
}

type ReadLog = (rootId: string) => Promise<readonly Told[]>;

/** A project, clients working on it, and the ledger of promises made to them. */
export class Crowd {
  readonly dir: string;
  readonly #dirs: readonly string[];
  readonly #read: ReadLog | undefined;
  readonly entrance = new Entrance();
  readonly ledger = new Ledger();
  readonly #answerers: Answerer[];
  readonly #working: Promise<unknown>;

  constructor(seed: number, { dir, dirs, make = makeShop, paceMs = 40, read }: CrowdOptions = {}) {
    this.dir = dir ?? dirs?.[0] ?? join(mkdtempSync(join(tmpdir(), "colloquy-faults-")), "shop");
    this.#dirs = dirs ?? [this.dir];
    this.#read = read;
    for (const one of this.#dirs) make(one);
    const { entrance, ledger } = this;
    const writer = (name: string, nth: number, way = overSocket()) =>
      new Writer(name, { entrance, ledger, random: randomFrom(seed * 31 + nth), way, paceMs });
    this.#answerers = [1, 2].map((nth) => new Answerer(`person${nth}`, entrance, ledger, randomFrom(seed * 37 + nth)));
    const clients: Client[] = [writer("s1", 1), writer("s2", 2), writer("h1", 3, overHttp), writer("h2", 4, overHttp), ...this.#answerers];
    this.#working = Promise.all(clients.map((client) => client.work()));
    this.#working.catch(() => {}); // the next check throws it
  }

  /** Compares the logs with the ledger: of busy trees, or of all. */
  async check(server: BuiltServer, which: readonly string[] = this.ledger.unfinished()): Promise<void> {
    await Promise.race([this.#working, Promise.resolve()]);
    const trees = [...which];
    const read = this.#read ?? ((rootId: string) => eventsOf(server, rootId));
    const worker = async () => {
      for (let rootId = trees.pop(); rootId !== undefined; rootId = trees.pop()) {
        const { receipts } = this.ledger;
        this.ledger.check(rootId, await read(rootId), receipts);
      }
    };
    await Promise.all(Array.from({ length: 4 }, worker));
    this.ledger.checkEffects(paidIn(...this.#dirs), false);
  }

  /** Gives no more work, lets the rest finish, and compares everything. */
  async finish(server: BuiltServer): Promise<void> {
    this.entrance.isClosing = true;
    await this.#working;
    for (let left = this.ledger.unfinished(); left.length > 0; left = this.ledger.unfinished()) {
      for (const answerer of this.#answerers) await answerer.look();
      await this.check(server, left);
      if (this.ledger.problems.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await this.check(server, this.ledger.all());
    this.ledger.checkEffects(paidIn(...this.#dirs), true);
  }

  /** Removes the folder after success; keeps it for inspection otherwise. */
  leave(problems: readonly string[]): void {
    this.entrance.isClosing = true;
    this.entrance.set(undefined);
    if (problems.length > 0) console.error(`The project is kept in ${this.#dirs.join(", ")}`);
    else for (const one of this.#dirs) rmSync(join(one, ".."), { recursive: true, force: true });
  }

  summary(): string {
    const { messages, answers, paid, unknown, events } = this.ledger.counts;
    return `${this.ledger.all().length} trees, ${messages} messages and ${answers} answers acknowledged, ${paid} effects once, ${unknown} with outcome unknown, ${events} events compared`;
  }
}

export async function eventsOf(server: BuiltServer, rootId: string): Promise<readonly Told[]> {
  const events: Told[] = [];
  for (;;) {
    const answer = await server.must("GET", `/dialogs/${rootId}/events?after=${events.at(-1)?.seq ?? 0}&limit=1000`);
    const { events: more, next } = answer as { events: Told[]; next?: unknown };
    events.push(...more);
    if (next === undefined || more.length === 0) return events;
  }
}
