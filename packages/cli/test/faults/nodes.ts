import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { startPostgres } from "../../../../scripts/postgres.mjs";
import { BuiltServer } from "./built-server.ts";
import { CLOCK } from "./clocks.ts";
import { Crowd, eventsOf, type Report } from "./crowd.ts";
import { between, type Random, randomFrom } from "./random.ts";
import type { Told } from "./ledger.ts";
import { makeSharedShop } from "./shop.ts";
import { TcpGate } from "./tcp-gate.ts";

const NODES = 3;
const HOUR = 3_600_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One server of the project: its folder, its clock, and its way to the database. */
class Node {
  readonly dir: string;
  readonly #gate: TcpGate;
  readonly #store: string;
  readonly #clock: string;
  readonly #crowd: Crowd;
  #shiftMs = 0;
  #port: number | undefined;
  #server: BuiltServer | undefined;

  constructor(dir: string, { gate, url, crowd }: { readonly gate: TcpGate; readonly url: string; readonly crowd: Crowd }) {
    const store = new URL(url);
    store.port = String(gate.port);
    this.dir = dir;
    this.#gate = gate;
    this.#store = `${store.href}?project=shop`;
    this.#clock = join(dir, "..", "clock.json");
    this.#crowd = crowd;
  }

  get server(): BuiltServer {
    if (!this.#server) throw new Error("the node is not running");
    return this.#server;
  }

  async start(): Promise<void> {
    writeFileSync(this.#clock, JSON.stringify({ shiftMs: this.#shiftMs }));
    this.#server = await BuiltServer.start(this.dir, {
      ...(this.#port !== undefined && { port: this.#port }),
      nodeArgs: ["--import", CLOCK],
      env: { COLLOQUY_STORE: this.#store, COLLOQUY_CLOCK: this.#clock },
    });
    this.#port = this.#server.port;
    this.#crowd.entrance.add(this.#server);
  }

  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.#crowd.entrance.remove(this.server);
    await this.server.end(signal);
  }

  async freeze(ms: number): Promise<void> {
    this.server.signal("SIGSTOP");
    await pause(ms);
    this.server.signal("SIGCONT");
  }

  async part(how: "cut" | "silence", ms: number): Promise<void> {
    this.#gate[how]();
    await pause(ms);
    this.#gate.restore();
  }

  jump(ms: number): void {
    this.#shiftMs += ms;
    writeFileSync(this.#clock, JSON.stringify({ shiftMs: this.#shiftMs }));
    this.server.signal("SIGUSR2");
  }

  close(): void {
    this.#gate.close();
  }
}

/** What has really been committed, whatever a node believes. */
class Database {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async log(rootId: string): Promise<readonly Told[]> {
    const client = new Client({ connectionString: this.#url });
    await client.connect();
    try {
      const { rows } = await client.query<{ seq: string; last: string; events: string }>(
        "select seq, last, events from colloquy_shop.lines where stream = $1 order by seq",
        [rootId],
      );
      return rows.flatMap(({ seq, last, events }) =>
        (JSON.parse(events) as Told["event"][]).map((event, nth) => ({
          seq: Number(seq) + nth,
          event,
          last: Number(seq) + nth === Number(last),
        })),
      );
    } finally {
      await client.end();
    }
  }
}

/** Kills a session's process: the database ends all others, too, and recovers from its log. */
async function crashDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined); // it is killed
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const gone = new Promise((resolve) => client.once("end", resolve));
  process.kill(rows[0]?.pid ?? 0, "SIGKILL");
  await gone;
  for (;;) {
    const next = new Client({ connectionString: url });
    next.on("error", () => undefined);
    const isBack = await next.connect().then(
      () => true,
      () => false,
    );
    await next.end().catch(() => undefined);
    if (isBack) return;
    await pause(20);
  }
}

type Fault = (node: Node, random: Random, database: string) => Promise<void>;

/** By name, each as often as its number says. The lease is three seconds: some freezes and partitions outlast it. */
const FAULTS: Readonly<Record<string, readonly [often: number, fault: Fault]>> = {
  "kill -9": [
    6,
    async (node) => {
      await node.end("SIGKILL");
      await node.start();
    },
  ],
  "graceful stop": [
    2,
    async (node) => {
      await node.end("SIGTERM");
      await node.start();
    },
  ],
  freeze: [3, (node, random) => node.freeze(between(random, 200, 5_000))],
  cut: [3, (node, random) => node.part("cut", between(random, 10, 4_000))],
  silence: [2, (node, random) => node.part("silence", between(random, 200, 5_000))],
  "clock jump": [2, async (node, random) => node.jump(between(random, -3, 3) * HOUR)],
  "database crash": [2, (_, __, database) => crashDatabase(database)],
};
const DECK = Object.entries(FAULTS).flatMap(([name, [often, fault]]) => Array.from({ length: often }, () => ({ name, fault })));

/** Three servers share a project in PostgreSQL. Any of them, the database and the ways between fail in turn, under load at all of them. */
export async function nodes(seed: number, count: number, say: (text: string) => void): Promise<Report> {
  const random = randomFrom(seed);
  const postgres = await startPostgres({ durable: true });
  const top = mkdtempSync(join(tmpdir(), "colloquy-nodes-"));
  const dirs = Array.from({ length: NODES }, (_, nth) => join(top, String(nth), "shop"));
  for (const dir of dirs) mkdirSync(dir, { recursive: true });
  const database = new Database(postgres.url);
  const crowd = new Crowd(seed, { dirs, make: makeSharedShop, read: (rootId) => database.log(rootId) });
  const port = Number(new URL(postgres.url).port);
  const all: Node[] = [];
  for (const dir of dirs) all.push(new Node(dir, { gate: await TcpGate.to(port), url: postgres.url, crowd }));
  const done = new Map<string, number>();
  const problems: string[] = [];
  try {
    for (const node of all) await node.start();
    for (let nth = 1; nth <= count && crowd.ledger.problems.length === 0; nth++) {
      await pause(between(random, 20, 300));
      const { name, fault } = DECK[between(random, 0, DECK.length - 1)] ?? { name: "", fault: pause };
      const node = all[between(random, 0, NODES - 1)];
      if (!node) continue;

      await (fault as Fault)(node, random, postgres.url);
      done.set(name, (done.get(name) ?? 0) + 1);
      await crowd.check(await asked(all, random));
      if (nth % 20 === 0) say(`${nth} faults: ${crowd.summary()}`);
    }
    if (crowd.ledger.problems.length === 0) await crowd.finish(await asked(all, random));
    for (const node of all) problems.push(...(await differing(node, crowd, database)));
    for (const node of all) await node.end("SIGTERM");
  } finally {
    for (const node of all) node.close();
    crowd.leave([...problems, ...crowd.ledger.problems]);
    await postgres.stop();
  }
  const list = [...done].map(([name, times]) => `${times} × ${name}`).join(", ");
  problems.push(...crowd.ledger.problems);
  return { name: "three nodes", problems, line: `${list}: ${crowd.summary()}` };
}

const SOON_MS = 30_000;
const MAX_COMPARED = 300;

/** Of the newest trees, those of which a node goes on showing something else than was committed. */
async function differing({ server, dir }: Node, crowd: Crowd, database: Database): Promise<readonly string[]> {
  const byMs = performance.now() + SOON_MS;
  const problems: string[] = [];
  for (const rootId of crowd.ledger.all().slice(-MAX_COMPARED)) {
    const truth = await database.log(rootId);
    let shown = await eventsOf(server, rootId);
    for (; shown.length !== truth.length && performance.now() < byMs; shown = await eventsOf(server, rootId)) await pause(100);
    if (shown.length !== truth.length) problems.push(`tree ${rootId}: ${dir} shows ${shown.length} of ${truth.length} events`);
  }
  return problems;
}

/** A node that knows what the others have committed so far: asked for a dialog that it does not know, it finds out (PG29). */
async function asked(all: readonly Node[], random: Random): Promise<BuiltServer> {
  const { server } = all[between(random, 0, all.length - 1)] ?? (all[0] as Node);
  await server.api("GET", `/dialogs/${"f".repeat(32)}`);
  return server;
}
