import { createServer } from "node:net";
import { Refused } from "@colloquy/schema";
import { rejected, saying, texts, treeId } from "@colloquy/store/contract";
import { expect, onTestFinished, test, vi } from "vitest";
import { openPostgresStore, storeAddress } from "../src/index.ts";
import { newDatabase } from "./database.ts";
import { proxyTo } from "./proxy.ts";

const one = treeId(1);

function refusal(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    expect(error).toBeInstanceOf(Refused);
    return (error as Refused).message;
  }
  throw new Error("It was accepted.");
}

/** The address of a database for another user. */
function as(url: string, user: string, password: string): string {
  const other = new URL(url);
  other.username = user;
  other.password = password;
  return other.href;
}

test("[PG1] an address names a database and a project; others are refused without their password", () => {
  expect(storeAddress("postgres://anna:secret@db.local:5433/work?project=shop&sslmode=require")).toEqual({
    connection: "postgres://anna:secret@db.local:5433/work?sslmode=require",
    shown: "postgres://anna@db.local:5433/work",
    project: "shop",
    schema: "colloquy_shop",
  });
  expect(storeAddress("postgresql://h/d", "shop").project).toBe("shop");
  expect(storeAddress("postgresql://h/d?project=shop", "shop").project).toBe("shop");
  const wrong = ["", "nonsense", "mysql://anna:secret@h/d?project=a", "postgres://anna:secret@h?project=a", "postgres://anna:secret@h/d"];
  for (const url of [...wrong, "postgres://anna:secret@h/d?project=No+Way", `postgres://anna:secret@h/d?project=${"a".repeat(41)}`]) {
    const message = refusal(() => storeAddress(url));
    expect(message).toMatch(/project=/);
    expect(message).not.toContain("secret");
  }
  expect(refusal(() => storeAddress("postgres://h/d?project=a", "b"))).toContain("Keep one of them");
});

test("[PG2] an unavailable server, database or user is named, with what to do", async () => {
  const { url, name } = await newDatabase();
  const open = (address: string) => openPostgresStore(storeAddress(address, "shop"));
  const closed = createServer();
  await new Promise<void>((listening) => closed.listen(0, "127.0.0.1", listening));
  const { port } = closed.address() as { port: number };
  await new Promise((done) => closed.close(done));
  const faults = [
    await rejected("store_unreachable", open(`postgres://anna:secret@127.0.0.1:${port}/x`)),
    await rejected("store_unreachable", open(url.replace(name, "no_such_database"))),
    await rejected("store_unreachable", open(as(url, "postgres", "secret"))),
  ];
  expect(faults.map(({ message }) => message)).toEqual([
    expect.stringContaining("Is the server running, and the address right?"),
    expect.stringContaining("Create it: createdb no_such_database"),
    expect.stringContaining("PGPASSWORD"),
  ]);
  for (const { message } of faults) expect(message).not.toContain("secret");
});

test("[PG2] a failed attempt leaves no connection open", async () => {
  const proxy = await proxyTo((await newDatabase()).url);
  vi.stubEnv("PGPASSWORD", undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  await rejected("store_unreachable", openPostgresStore(storeAddress(as(proxy.url, "postgres", ""), "shop")));
  await expect.poll(() => proxy.open()).toBe(0);
});

test("[PG3] a user without rights is told which statements an administrator must run", async () => {
  const { url, name, run } = await newDatabase();
  const user = `u_${name}`;
  await run(`create role ${user} login password 'x'`);
  const address = storeAddress(as(url, user, "x"), "shop");
  const { message } = await rejected("store_readonly", openPostgresStore(address));
  expect(message).toContain('CREATE SCHEMA IF NOT EXISTS "colloquy_shop" AUTHORIZATION the-user;');
  await run(`create schema if not exists "colloquy_shop" authorization ${user}`);
  const store = await openPostgresStore(address);
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.close();
  await run(`alter schema colloquy_shop owner to postgres; drop owned by ${user}; drop role ${user}`);
});

test("[PG4] a server version that is too old is refused", async () => {
  const { url, run } = await newDatabase();
  const [row] = await run("select current_setting('server_version_num') as number");
  const proxy = await proxyTo(url);
  proxy.replace(String(row?.number), "130018");
  const { message } = await rejected("store_unfit", openPostgresStore(storeAddress(proxy.url, "shop")));
  expect(message).toMatch(/^PostgreSQL .* is too old\. Colloquy needs version 14 or later\.$/);
});

test("[PG5] a project of a newer Colloquy is refused, and nothing is changed", async () => {
  const { url, run } = await newDatabase();
  const address = storeAddress(url, "shop");
  await (await openPostgresStore(address)).close();
  await run("update colloquy_shop.version set number = 99");
  expect((await rejected("store_unfit", openPostgresStore(address))).message).toContain("Update this one");
  expect(await run("select number from colloquy_shop.version")).toEqual([{ number: 99 }]);
});

test("[PG6] several processes starting at once create the tables once", async () => {
  const { url, run } = await newDatabase();
  const stores = await Promise.all([1, 2, 3, 4].map(() => openPostgresStore(storeAddress(url, "shop"))));
  for (const store of stores) await store.close();
  expect(await run("select count(*)::int from colloquy_shop.version")).toEqual([{ count: 1 }]);
});

test("[PG7] several processes can have a project open, and know each other", async () => {
  const { url } = await newDatabase();
  const address = storeAddress(url, "shop");
  const [a, b] = [
    await openPostgresStore(address, { place: "left", claims: "all", url: "http://127.0.0.1:1" }),
    await openPostgresStore(address, { place: "right", claims: "none" }),
  ];
  onTestFinished(() => a.abandon());
  const known = (await b.cluster.nodes()).map(({ place, pid, url: at, isThis }) => [place, pid, at, isThis]);
  expect(known).toEqual([
    ["left", process.pid, "http://127.0.0.1:1", false],
    ["right", process.pid, undefined, true],
  ]);
  await b.close();
  expect(await a.cluster.nodes()).toHaveLength(1);
});

test("[PG8] two projects in one database have nothing in common", async () => {
  const { url } = await newDatabase();
  const [shop, bank] = [await openPostgresStore(storeAddress(url, "shop")), await openPostgresStore(storeAddress(url, "bank"))];
  for (const store of [shop, bank]) onTestFinished(() => store.close());
  expect(await shop.commit([saying(one, 0, ["a"])], 0)).toMatchObject({ pos: 1 });
  expect(await bank.commit([saying(one, 0, ["b"])], 0)).toMatchObject({ pos: 1 });
  expect([await texts(shop, one), await texts(bank, one)]).toEqual([["a"], ["b"]]);
});

test("[PG13] a read-only database is refused when the project is opened", async () => {
  const { url, name, run } = await newDatabase();
  await run(`alter database ${name} set default_transaction_read_only = on`);
  expect((await rejected("store_readonly", openPostgresStore(storeAddress(url, "shop")))).message).toContain("read-only");
});
