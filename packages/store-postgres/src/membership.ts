import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { RootId, StreamId } from "@colloquy/schema";
import type { Cluster, ClusterListener, NodeInfo } from "@colloquy/store";
import type { Client } from "pg";
import type { Link } from "./link.ts";
import type { StoreAddress } from "./store-address.ts";
import type { TreeIndex } from "./tree-index.ts";

/** Another node takes over the trees of one that has not renewed its lease for so long. */
const LEASE_MS = 3_000;
const HEARTBEAT_MS = 1_000;
/** How often other nodes' leases are checked, if there are any. */
const LOOK_MS = 200;
const MAX_CLAIMED_AT_ONCE = 50;

/** Which trees a node takes: `all` that nobody drives, those that it `touched`, or `none`. */
export type Claims = "all" | "touched" | "none";

export interface NodeOptions {
  /** Nodes of one place see the same working files. */
  readonly place: string;
  readonly url?: string | undefined;
  readonly version?: string | undefined;
  readonly claims: Claims;
}

export interface MembershipHost {
  /** Other nodes have committed up to there. */
  heardOf(pos: number): void;
  catchUp(): Promise<void>;
  /** A node has changed documents, or may have done so while this one had no session. */
  documentsChanged(): void;
  failed(error: unknown): void;
}

/** This process among the nodes of a project: it shows that it lives, finds those that died, and takes over their trees. */
export class Membership implements Cluster {
  readonly #address: StoreAddress;
  readonly #index: TreeIndex;
  readonly #options: NodeOptions;
  readonly #listeners = new Set<ClusterListener>();
  /** New after each lost session: later writes under the old one are refused. */
  node: string = randomUUID();
  #session: Link | undefined;
  #host: MembershipHost | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isMember = false;
  /** It no longer claims or drives trees. */
  #isLeaving = false;
  #hasLeft = false;
  #claiming: Promise<void> | undefined;
  #claimsAgain = false;
  #others = 0;
  #url: string | undefined;
  secret = "";

  constructor(address: StoreAddress, index: TreeIndex, options: NodeOptions) {
    this.#address = address;
    this.#index = index;
    this.#options = options;
    this.#url = options.url;
  }

  /** The number of nodes at the last check, including this one. */
  get size(): number {
    return this.#others + 1;
  }

  get place(): string {
    return this.#options.place;
  }

  get claims(): boolean {
    return this.#options.claims !== "none" && !this.#isLeaving;
  }

  /** Joins under a new id: when the project is opened, and with each new session. */
  async join(client: Client): Promise<void> {
    const { schema } = this.#address;
    const before = this.node;
    const node = randomUUID();
    this.#lost();
    client.on("notification", ({ payload = "" }) => this.#heard(payload));
    await client.query(`listen "${schema}"`);
    const { rows } = await client.query<{ lock: number }>("select hashtextextended($1, 0) as lock", [`${schema} ${node}`]);
    await client.query("select pg_advisory_lock($1)", [rows[0]?.lock]);
    await client.query(
      `insert into "${schema}".nodes (id, lock, host, pid, url, place, version, until)
       values ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 ms')`,
      [node, rows[0]?.lock, hostname(), process.pid, this.#url ?? null, this.#options.place, this.#options.version ?? null, LEASE_MS],
    );
    const found = await client.query<{ secret: string }>(`select secret from "${schema}".project`);
    this.secret = found.rows[0]?.secret ?? "";
    // The former one writes no more. If nobody took its trees, this one claims them: they were not interrupted by a crash.
    await client.query(`select "${schema}".end_nodes($1, false)`, [[before]]);
    this.node = node;
    this.#isMember = true;
    this.#host?.documentsChanged();
    if (this.#session) this.#tryToClaim();
  }

  /** Ends the nodes that died before this one was opened. True if one of them left work in the middle. */
  async endDead(client: Client): Promise<boolean> {
    const { schema } = this.#address;
    const { rows } = await client.query<Look>(`select * from "${schema}".look($1, $2)`, [this.node, LEASE_MS]);
    const { dead = [], others = 0 } = rows[0] ?? {};
    this.#others = others - dead.length;
    if (dead.length === 0) return false;
    await client.query(`select "${schema}".end_nodes($1, true)`, [dead]);
    return true;
  }

  /** Starts checking the other nodes. */
  start(session: Link, host: MembershipHost): void {
    this.#session = session;
    this.#host = host;
    this.#schedule();
  }

  owns(rootId: RootId): boolean {
    return this.#isMember && !this.#isLeaving && this.#index.epochOf(rootId) !== undefined;
  }

  async catchUp(): Promise<void> {
    await this.#host?.catchUp();
  }

  listen(listener: ClusterListener): () => void {
    this.#listeners.add(listener);
    // Trees that wait for an owner are taken only by a process that drives them.
    this.#tryToClaim();
    return () => void this.#listeners.delete(listener);
  }

  async handOver(rootIds: readonly RootId[]): Promise<void> {
    this.#isLeaving = true;
    for (const rootId of rootIds) this.#index.own(rootId, undefined);
    if (rootIds.length > 0 && this.#isMember) await this.#run("hand_over", [this.node, rootIds]);
  }

  async nodes(): Promise<readonly NodeInfo[]> {
    const { schema } = this.#address;
    const text = `select n.id, n.host, n.pid, n.place, n.url, n.version, n.since, n.until > now() as alive,
        (select count(*) from "${schema}".streams s where s.owner = n.id and s.hot)::int as trees
      from "${schema}".nodes n where n.ended is null order by n.since, n.id`;
    const rows = (await this.#session?.run<NodeRow>({ name: "nodes", text })) ?? [];
    return rows.map(({ alive, ...row }) => ({
      ...row,
      url: row.url ?? undefined,
      version: row.version ?? undefined,
      since: row.since.toISOString(),
      isAlive: alive,
      isThis: row.id === this.node,
    }));
  }

  async announce(url: string): Promise<void> {
    this.#url = url;
    const text = `update "${this.#address.schema}".nodes set url = $2 where id = $1`;
    await this.#session?.run({ name: "announce", text, values: [this.node, url] });
  }

  /** This node no longer drives a tree. */
  lostTree(stream: StreamId): void {
    for (const listener of this.#listeners) listener.lost([stream as RootId]);
  }

  /** Its session is gone: until the next one, nothing is driven. */
  lostSession(): void {
    this.#lost();
  }

  /** `crashed`: as if it had died, so that the next node recovers its work. */
  async leave(crashed: boolean): Promise<void> {
    this.#isLeaving = this.#hasLeft = true;
    clearTimeout(this.#timer);
    await this.#claiming;
    // Its lease expires, and it counts as dead.
    if (this.#isMember && !crashed) await this.#run("end_nodes", [[this.node], false]);
  }

  /** Ends only the timers, like a dying process. */
  abandon(): void {
    this.#isLeaving = this.#hasLeft = true;
    clearTimeout(this.#timer);
  }

  /** Takes trees in which something can move and that nobody owns. */
  claim(): Promise<void> {
    this.#claimsAgain = true;
    this.#claiming ??= this.#claimAll().finally(() => (this.#claiming = undefined));
    return this.#claiming;
  }

  async #claimAll(): Promise<void> {
    while (this.#claimsAgain && this.#listeners.size > 0 && this.#options.claims === "all" && !this.#isLeaving && this.#isMember) {
      const rows = await this.#run<{ stream: RootId; epoch: number; crashed: boolean }>("claim", [
        this.node,
        this.place,
        MAX_CLAIMED_AT_ONCE,
      ]);
      this.#claimsAgain = rows.length === MAX_CLAIMED_AT_ONCE;
      for (const { stream, epoch } of rows) this.#index.own(stream, epoch);
      for (const crashed of [true, false]) {
        const trees = rows.filter((row) => row.crashed === crashed).map(({ stream }) => stream);
        if (trees.length > 0) for (const listener of this.#listeners) listener.claimed(trees, crashed);
      }
    }
  }

  #tryToClaim(): void {
    this.claim().catch((error: unknown) => this.#host?.failed(error));
  }

  #lost(): void {
    this.#isMember = false;
    const trees = this.#index.disown();
    if (trees.length > 0) for (const listener of this.#listeners) listener.lost(trees);
  }

  #heard(payload: string): void {
    if (payload === "orphans") this.#tryToClaim();
    else if (payload === "documents") this.#host?.documentsChanged();
    else this.#host?.heardOf(Number(payload));
  }

  #schedule(): void {
    if (this.#hasLeft) return;
    this.#timer = setTimeout(() => void this.#look().finally(() => this.#schedule()), this.#others > 0 ? LOOK_MS : HEARTBEAT_MS);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    try {
      const asked = this.node;
      const [row] = await this.#run<Look>("look", [asked, LEASE_MS]);
      if (!row || this.#hasLeft) return;
      this.#others = row.others - row.dead.length;
      this.#host?.heardOf(row.pos);
      // Others declared this node dead: it had been frozen or disconnected.
      if (!row.is_node) return this.#session?.renew(() => this.node === asked);
      if (row.dead.length > 0) {
        await this.#run("end_nodes", [row.dead, true]);
        for (const listener of this.#listeners) listener.died();
        await this.claim();
      }
    } catch (error) {
      this.#host?.failed(error);
    }
  }

  async #run<Row extends Record<string, unknown>>(name: string, values: readonly unknown[]): Promise<Row[]> {
    const params = values.map((_, nth) => `$${nth + 1}`).join(",");
    const text = `select * from "${this.#address.schema}".${name}(${params})`;
    return (await this.#session?.run<Row>({ name, text, values: [...values] })) ?? [];
  }
}

interface NodeRow extends Record<string, unknown> {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly place: string;
  readonly url: string | null;
  readonly version: string | null;
  readonly since: Date;
  readonly alive: boolean;
  readonly trees: number;
}

interface Look extends Record<string, unknown> {
  readonly is_node: boolean;
  readonly pos: number;
  readonly others: number;
  readonly dead: readonly string[];
}
