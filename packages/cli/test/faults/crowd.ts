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

/** A project, clients working on it, and the ledger of promises made to them. */
export class Crowd {
  readonly dir: string;
  readonly entrance = new Entrance();
  readonly ledger = new Ledger();
  readonly #answerers: Answerer[];
  readonly #working: Promise<unknown>;

  constructor(seed: number, { dir, paceMs = 40 }: { readonly dir?: string; readonly paceMs?: number } = {}) {
    this.dir = dir ?? join(mkdtempSync(join(tmpdir(), "colloquy-faults-")), "shop");
    makeShop(this.dir);
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
    const worker = async () => {
      for (let rootId = trees.pop(); rootId !== undefined; rootId = trees.pop()) this.ledger.check(rootId, await eventsOf(server, rootId));
    };
    await Promise.all(Array.from({ length: 4 }, worker));
    this.ledger.checkEffects(paidIn(this.dir), false);
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
    this.ledger.checkEffects(paidIn(this.dir), true);
  }

  /** Removes the folder after success; keeps it for inspection otherwise. */
  leave(problems: readonly string[]): void {
    this.entrance.isClosing = true;
    this.entrance.set(undefined);
    if (problems.length === 0) rmSync(join(this.dir, ".."), { recursive: true, force: true });
    else console.error(`The project is kept in ${this.dir}`);
  }

  summary(): string {
    const { messages, answers, paid, unknown, events } = this.ledger.counts;
    return `${this.ledger.all().length} trees, ${messages} messages and ${answers} answers acknowledged, ${paid} effects once, ${unknown} with outcome unknown, ${events} events compared`;
  }
}

async function eventsOf(server: BuiltServer, rootId: string): Promise<readonly Told[]> {
  const events: Told[] = [];
  for (;;) {
    const answer = await server.must("GET", `/dialogs/${rootId}/events?after=${events.at(-1)?.seq ?? 0}&limit=1000`);
    const { events: more, next } = answer as { events: Told[]; next?: unknown };
    events.push(...more);
    if (next === undefined || more.length === 0) return events;
  }
}
