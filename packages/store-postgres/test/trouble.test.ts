import { rejected, saying, texts, treeId } from "@colloquy/store/contract";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { openPostgresStore, storeAddress } from "../src/index.ts";
import { newDatabase } from "./database.ts";
import { proxyTo } from "./proxy.ts";

const [one, two] = [treeId(1), treeId(2)];

async function shop() {
  const database = await newDatabase();
  const proxy = await proxyTo(database.url);
  const store = await openPostgresStore(storeAddress(proxy.url, "shop"));
  onTestFinished(() => store.abandon());
  return { database, proxy, store };
}

test("[PG9] concurrent commits are one statement, and a single one is one round trip", async () => {
  const { store, proxy } = await shop();
  await store.commit([saying(one, 0, ["a"])], 0); // the first one also prepares the statement
  const before = proxy.sent();
  await store.commit([saying(one, 1, ["b"])], 0);
  expect(proxy.sent() - before).toBe(1);
  await Promise.all(Array.from({ length: 50 }, (_, n) => store.commit([saying(one, 2 + n, ["c"])], 0)));
  expect(store.health()).toMatchObject({ commits: 52, syncs: 3, pos: 52 });
});

test("[PG10] a disconnected node is declared dead: its later writes are refused, and it returns under another name", async () => {
  const { store, database, proxy } = await shop();
  await store.commit([saying(one, 0, ["a"])], 0);
  const before = store.cluster.node;
  proxy.cut();
  const next = await openPostgresStore(storeAddress(database.url, "shop"));
  onTestFinished(() => next.close());
  expect(next.crashed).toBe(true);
  await next.commit([saying(two, 0, ["b"])], 0);
  const late = store.commit([saying(one, 1, ["too late"])], 0);
  proxy.restore();
  await rejected("log_conflict", late);
  expect(await texts(next, one)).toEqual(["a"]);
  expect(store.cluster.node).not.toBe(before);
  await store.commit([saying(one, 1, ["again"])], 0);
  expect(await texts(next, one)).toEqual(["a", "again"]);
});

test("[PG43] what was decided on top of a refused commit is refused with it, also where its position fits", async () => {
  const { store, database } = await shop();
  // A busy tree stays with its owner, whoever commits to it.
  await store.commit([{ ...saying(one, 0, ["a"]), isBusy: true }], 0);
  const other = await openPostgresStore(storeAddress(database.url, "shop"));
  onTestFinished(() => other.close());
  // Both wait for the same row, in this order.
  const holder = new Client({ connectionString: database.url });
  await holder.connect();
  await holder.query("begin; select from colloquy_shop.project for update");
  const waiters = () => database.run("select count(*)::int from pg_locks where not granted");
  const first = other.commit([{ ...saying(one, 1, ["theirs"]), isBusy: true }], 0);
  await expect.poll(waiters).toEqual([{ count: 1 }]);
  const late = [saying(one, 1, ["ours"]), saying(one, 2, ["based on ours"])].map((part) =>
    rejected("log_conflict", store.commit([part], 0)),
  );
  const free = store.commit([saying(two, 0, ["apart"])], 0);
  await expect.poll(waiters).toEqual([{ count: 2 }]);
  await holder.query("commit");
  await holder.end();
  await Promise.all([first, free, ...late]);
  expect(await texts(other, one)).toEqual(["a", "theirs"]);
  expect(await store.commit([saying(one, 2, ["ours again"])], 0)).toMatchObject({ lines: [{ line: { seq: 3 } }] });
});

test("[PG11] a commit whose answer was lost takes effect once", async () => {
  const { store, proxy } = await shop();
  await store.commit([saying(one, 0, ["a"])], 0);
  const seen: number[] = [];
  store.watch(({ pos }) => seen.push(pos));
  proxy.loseNextCommit();
  expect(await store.commit([saying(one, 1, ["b"]), saying(two, 0, ["b"])], 0)).toMatchObject({ pos: 2 });
  expect(await store.commit([saying(one, 2, ["c"])], 0)).toMatchObject({ pos: 3 });
  expect(await texts(store, one)).toEqual(["a", "b", "c"]);
  expect(seen).toEqual([2, 3]);
});

test("[PG11] without a connection commits and reads wait in order, and health says so", async () => {
  const { store, proxy } = await shop();
  await store.commit([saying(one, 0, ["a"])], 0);
  proxy.cut();
  await expect.poll(() => store.health().refusing).toMatch(/^No connection to postgres:\/\/postgres@127\.0\.0\.1:\d+\/\w+ since /);
  const order: string[] = [];
  const waiting = [
    store.commit([saying(one, 1, ["b"])], 0).then(() => order.push("b")),
    store.commit([saying(one, 2, ["c"])], 0).then(() => order.push("c")),
    store.read(one, 0).then(() => order.push("read")),
  ];
  proxy.restore();
  await Promise.all(waiting);
  expect(order.filter((what) => what !== "read")).toEqual(["b", "c"]);
  expect(await texts(store, one)).toEqual(["a", "b", "c"]);
  await expect.poll(() => store.health().refusing).toBeUndefined();
});

test("[PG12] on a full disk no part of a commit is kept, and the next one takes its number", async () => {
  const { store, database } = await shop();
  await store.commit([saying(one, 0, ["a"])], 0);
  await database.run(`create function full_disk() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create trigger full_disk before insert on colloquy_shop.lines for each row execute function full_disk()`);
  const [first, second] = [store.commit([saying(one, 1, ["b"])], 0), store.commit([saying(one, 2, ["c"])], 0)];
  const { message } = await rejected("log_full", first);
  expect(message).toMatch(/^The database has no room .* Free some space: work resumes by itself\.$/);
  await rejected("log_full", second);
  expect(store.health().refusing).toBe(message);
  await database.run("drop trigger full_disk on colloquy_shop.lines");
  expect(await store.commit([saying(one, 1, ["b"])], 0)).toMatchObject({ pos: 2 });
  expect(store.health().refusing).toBeUndefined();
});

test("[PG13] a database that becomes read-only accepts nothing until it is writable again", async () => {
  const { store, database, proxy } = await shop();
  await store.commit([saying(one, 0, ["a"])], 0);
  const set = (value: string) =>
    database.run(`begin read write; alter database ${database.name} set default_transaction_read_only = ${value}; commit`);
  const newSessions = () => {
    proxy.cut();
    proxy.restore();
  };
  await set("on");
  newSessions();
  const { message } = await rejected("log_full", store.commit([saying(one, 1, ["b"])], 0));
  expect(message).toContain("is read-only. Nothing new is accepted");
  await set("off");
  newSessions();
  expect(await store.commit([saying(one, 1, ["b"])], 0)).toMatchObject({ pos: 2 });
});

test("[PG30] a store without a connection closes at once, and refuses waiting work", async () => {
  const { store, proxy } = await shop();
  await store.commit([saying(one, 0, ["a"])], 0);
  proxy.cut();
  await expect.poll(() => store.health().refusing).toContain("No connection");
  const waiting = store.commit([saying(one, 1, ["b"])], 0);
  const refused = rejected("log_unavailable", waiting);
  await store.close();
  await refused;
});
