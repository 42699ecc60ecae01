import { hostname } from "node:os";
import { Refused, type StreamId } from "@colloquy/schema";
import type { Client } from "pg";
import { OLDEST_SERVER, tooNew, tooOld, unopened } from "./faults.ts";
import { cutOff, Link } from "./link.ts";
import { Membership, type NodeOptions } from "./membership.ts";
import { FUNCTIONS, MIGRATIONS } from "./migrations.ts";
import { type Ground, PostgresStore } from "./postgres-store.ts";
import type { StoreAddress } from "./store-address.ts";
import { TreeIndex } from "./tree-index.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const INT8 = 20;
const ALONE: NodeOptions = { place: hostname(), claims: "all" };

/** Opens or creates a project in a database. Throws `Fault` with what to do. */
export async function openPostgresStore(address: StoreAddress, options: NodeOptions = ALONE): Promise<PostgresStore> {
  const connect = await connector(address);
  const clients: Client[] = [];
  const connected = async () => {
    const client = await connect();
    clients.push(client);
    return client;
  };
  try {
    const client = await connected();
    await checkVersion(client);
    await migrate(client, address);
    const index = new TreeIndex();
    const membership = new Membership(address, index, options);
    await membership.join(client);
    const crashed = await membership.endDead(client);
    await client.query(`select "${address.schema}".discard_staged()`);
    const found = await loaded(client, address, index);
    const session = new Link(client, {
      connect,
      onReturn: (again) => membership.join(again),
      onLost: () => membership.lostSession(),
    });
    const writing = new Link(await connected(), { connect, onReturn: async () => {} });
    return new PostgresStore({ address, membership, writing, session, index, crashed, ...found }).join();
  } catch (error) {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
    throw unopened(error, address);
  }
}

/** The driver is loaded only here: a program that keeps its projects in folders does not install it. */
async function connector({ connection, project }: StoreAddress): Promise<() => Promise<Client>> {
  // Bundlers of programs that do not use it must not look for it.
  const { default: pg } = await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ "pg").catch(() => {
    throw new Refused({ code: "bad_request", message: "A store in PostgreSQL needs the package pg. Install it: npm install pg" });
  });
  const types = {
    getTypeParser: (id: number, format?: string): unknown =>
      id === INT8 && format !== "binary" ? Number : pg.types.getTypeParser(id, format as "text"),
  };
  return async () => {
    const client = new pg.Client({
      connectionString: connection,
      application_name: `colloquy ${project}`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      types: types as typeof pg.types,
    });
    client.on("error", () => undefined); // the next statement reports it
    try {
      await client.connect();
    } catch (error) {
      cutOff(client);
      throw error;
    }
    return client;
  };
}

async function checkVersion(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: number; name: string }>(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as name",
  );
  if ((rows[0]?.number ?? 0) < OLDEST_SERVER * 10_000) throw tooOld(rows[0]?.name ?? "of unknown version");
}

/** Creates or upgrades the project's tables. A current project is not locked for it. */
async function migrate(client: Client, { schema, shown }: StoreAddress): Promise<void> {
  const known = await versionOf(client, schema);
  if (known > MIGRATIONS.length) throw tooNew(shown);
  if (known === MIGRATIONS.length) return;
  await client.query("begin");
  try {
    await client.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`migrate ${schema}`]);
    const from = await versionOf(client, schema);
    if (from === 0) {
      const { rowCount } = await client.query("select from pg_namespace where nspname = $1", [schema]);
      if (rowCount === 0) await client.query(`create schema "${schema}"`);
    }
    await client.query(`set local search_path = "${schema}"`);
    if (from === 0) await client.query("create table version (number int not null); insert into version values (0)");
    for (const migration of MIGRATIONS.slice(from)) await client.query(migration);
    for (const name of FUNCTIONS) await client.query(`alter function ${name} set search_path = "${schema}"`);
    await client.query("update version set number = $1", [MIGRATIONS.length]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined); // the first error is the one that matters
    throw error;
  }
}

async function versionOf(client: Client, schema: string): Promise<number> {
  // Not by to_regclass, which may answer from a cache that is older than the transaction's lock.
  const { rowCount } = await client.query(
    "select from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = 'version'",
    [schema],
  );
  if (rowCount === 0) return 0;
  const { rows: found } = await client.query<{ number: number }>(`select number from "${schema}".version`);
  return found[0]?.number ?? 0;
}

/** The index, and the last commit that it knows of. */
async function loaded(
  client: Client,
  { schema }: StoreAddress,
  index: TreeIndex,
): Promise<Pick<Ground, "pos" | "documents" | "projectId">> {
  await client.query("begin isolation level repeatable read");
  const { rows: found } = await client.query<{ pos: number; documents: number; id: string }>(
    `select pos, documents, id from "${schema}".project`,
  );
  const { rows } = await client.query<{ id: StreamId; seq: number; course: number; entry: string | null }>(
    `select id, seq, course, entry from "${schema}".streams order by id`,
  );
  await client.query("commit");
  for (const { id, seq, course, entry } of rows) index.put(id, { seq, course, entry: entry ?? undefined });
  return { pos: found[0]?.pos ?? 0, documents: found[0]?.documents ?? 0, projectId: found[0]?.id ?? "" };
}
