import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newDatabase } from "../../../store-postgres/test/database.ts";
import { colloquy, project, start } from "../support.ts";

/** In a process of its own: the driver reads the password from that. */
const ended = (...[dir, args, options]: Parameters<typeof start>) => start(dir, args, options).ended;

/** A database's address for a project, with the password apart. */
async function shop() {
  const database = await newDatabase();
  const url = new URL(database.url);
  const { password } = url;
  url.password = "";
  return { ...database, store: `${url.href}?project=shop`, env: { PGPASSWORD: password } };
}

test("[PG14] every command works on the store that --store or COLLOQUY_STORE names", async () => {
  const dir = project();
  const { store, env, run } = await shop();
  expect(await ended(dir, ["--store", store, "new", "--wait", "Hello"], { env })).toMatchObject({ code: 0, stdout: "I heard: Hello\n" });
  const stored = { env: { ...env, COLLOQUY_STORE: store } };
  expect(await ended(dir, ["send", "--wait", "@", "Again"], stored)).toMatchObject({ code: 0, stdout: "I heard: Again\n" });
  expect(JSON.parse((await ended(dir, ["ls", "--json"], stored)).stdout)).toMatchObject({ dialogs: [{ title: "Hello", state: "idle" }] });
  expect(existsSync(join(dir, ".dialogs/run"))).toBe(false);
  expect(await run("select count(*)::int from colloquy_shop.streams where entry is not null")).toEqual([{ count: 1 }]);
});

test("[PG14] a server that is killed and started again continues from the database", async () => {
  const dir = project();
  const { store, env } = await shop();
  const first = start(dir, ["serve", "--port", "0", "--store", store], { env });
  await first.says("Serving at");
  expect((await colloquy(dir, "new", "--wait", "Hello")).stdout).toBe("I heard: Hello\n");
  first.kill("SIGKILL");
  await first.ended;
  const second = start(dir, ["serve", "--port", "0", "--store", store], { env });
  await second.says("Serving at");
  expect((await colloquy(dir, "send", "--wait", "@", "Again")).stdout).toBe("I heard: Again\n");
  const shown = await colloquy(dir, "show", "@");
  expect(shown.stdout).toContain("I heard: Hello");
  second.kill("SIGINT");
  expect((await second.ended).code).toBe(0);
});

test("[PG41] store in colloquy.yaml names the store, with variables of the environment", async () => {
  const { store, env, run } = await shop();
  const [user, password] = [new URL(store).username, env.PGPASSWORD];
  const address = store.replace(`${user}@`, `${user}:\${SHOP_PASSWORD}@`);
  const dir = project();
  const settings = readFileSync(join(dir, "colloquy.yaml"), "utf8");
  writeFileSync(join(dir, "colloquy.yaml"), `${settings}\nstore: "${address}"\n`);
  const set = { env: { SHOP_PASSWORD: password } };
  expect(await ended(dir, ["new", "--wait", "Hello"], set)).toMatchObject({ code: 0, stdout: "I heard: Hello\n" });
  expect(JSON.parse((await ended(dir, ["ls", "--json"], set)).stdout)).toMatchObject({ dialogs: [{ title: "Hello" }] });
  expect(await run("select count(*)::int from colloquy_shop.streams where entry is not null")).toEqual([{ count: 1 }]);
  expect((await ended(dir, ["doctor"], set)).stdout).toContain("postgres");
  expect(await ended(dir, ["ls"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("store names ${SHOP_PASSWORD}, which is not set"),
  });
  const moved = await ended(dir, ["move", "--to", "file:."], set);
  expect(moved).toMatchObject({ code: 0, stdout: expect.stringContaining("Take store out of colloquy.yaml") });
  writeFileSync(join(dir, "colloquy.yaml"), settings);
  expect((await colloquy(dir, "ls")).stdout).toContain("Hello");
});

test("[PG41] store counts in settings that are written as JSON, too", async () => {
  const dir = project();
  writeFileSync(join(dir, "colloquy.yaml"), '{"agents": {"lead": {"role": "x"}}, "store": "postgres://a@127.0.0.1:9/x?project=shop"}');
  expect(await ended(dir, ["ls"])).toMatchObject({ code: 1, stderr: expect.stringContaining("127.0.0.1:9") });
});

test("[TR17] [PG41] a folder from elsewhere contacts no database, not even to read", async () => {
  const dir = project();
  let calls = 0;
  const listener = createServer((socket) => void ((calls += 1), socket.destroy()));
  await once(listener.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void listener.close());
  const { port } = listener.address() as AddressInfo;
  writeFileSync(join(dir, "colloquy.yaml"), `store: "postgres://a:\${HOME}@127.0.0.1:${port}/d?project=shop"\n`, { flag: "a" });
  const env = { HOME: mkdtempSync(join(tmpdir(), "colloquy-home-")), COLLOQUY_TRUST: "" };
  for (const args of [["ls"], ["new", "Hello"], ["show", "@"], ["doctor"], ["move", "--to", "file:x"]]) {
    const { code, stdout, stderr } = await ended(dir, args, { env });
    expect([args, code]).toEqual([args, 1]);
    expect(stdout + stderr).toMatch(/colloquy trust/);
  }
  expect((await ended(dir, ["trust"], { env })).stdout + calls).toContain(
    `keeps everything that is said in postgres://a@127.0.0.1:${port}/d?project=shop, with HOME`,
  );
  expect(calls).toBe(0);
  expect(await ended(dir, ["ls"], { env })).toMatchObject({ code: 1, stderr: expect.stringContaining("127.0.0.1") });
  expect(calls).toBeGreaterThan(0);
});

test("[PG14] one store holds one project", async () => {
  const [one, two] = [project(), project()];
  const { code, stderr } = await ended(one, ["serve", one, two, "--store", "postgres://h/d?project=shop"]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: "A store holds one project: serve one folder with --store.\n" });
});

test("[PG1] [PG2] a wrong address is one sentence and an exit code", async () => {
  const dir = project();
  expect(await colloquy(dir, "--store", "mysql://x", "ls")).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("postgres://"),
  });
  const unreachable = await colloquy(dir, "--store", "postgres://anna:secret@127.0.0.1:9/x?project=shop", "ls");
  expect(unreachable).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("No connection to postgres://anna@127.0.0.1:9/x"),
  });
  expect(unreachable.stderr).not.toContain("secret");
});

test("[PG15] a folder whose project is in a database is not opened without it", async () => {
  const dir = project();
  const { store, env } = await shop();
  await ended(dir, ["--store", store, "new", "--wait", "Hello"], { env });
  const { code, stderr } = await colloquy(dir, "ls");
  expect(code).toBe(1);
  expect(stderr).toContain(`is kept in ${store}. If that is your database, name it: --store "${store}"`);
  expect(readFileSync(join(dir, ".dialogs/store.json"), "utf8")).not.toContain(env.PGPASSWORD);
  rmSync(join(dir, ".dialogs/store.json"));
  expect((await colloquy(dir, "ls")).code).toBe(0);
});

test("[L75] a folder whose project is in a database shows git none of its tokens", async () => {
  const dir = project();
  const { store, env } = await shop();
  await ended(dir, ["--store", store, "new", "--wait", "Hello"], { env });
  expect(readFileSync(join(dir, ".dialogs/.gitignore"), "utf8")).toBe("*\n");
});

test("[L75] a link in its place is left alone, and nothing is written where it leads", async () => {
  const dir = project();
  const { store, env } = await shop();
  mkdirSync(join(dir, ".dialogs"));
  symlinkSync("../elsewhere", join(dir, ".dialogs/.gitignore"));
  expect((await ended(dir, ["--store", store, "ls"], { env })).code).toBe(0);
  expect(existsSync(join(dir, "elsewhere"))).toBe(false);
});

test("[PG16] a second project of the same name is refused", async () => {
  const dir = project();
  const { store, env, run } = await shop();
  await ended(dir, ["--store", store, "new", "--wait", "Hello"], { env });
  await run("drop schema colloquy_shop cascade");
  await ended(project(), ["--store", store, "new", "--wait", "Another"], { env });
  const { code, stderr } = await ended(dir, ["--store", store, "ls"], { env });
  expect(code).toBe(1);
  expect(stderr).toMatch(/has another project named "shop" than the one that .* belongs to\. Choose another name/);
});

test("[PG16] a folder with dialogs of its own is not opened with a database", async () => {
  const dir = project();
  const { store, env } = await shop();
  await colloquy(dir, "new", "--wait", "Hello");
  const { code, stderr } = await ended(dir, ["--store", store, "ls"], { env });
  expect(code).toBe(1);
  expect(stderr).toContain("has dialogs of its own, which a database would hide");
  expect((await colloquy(dir, "ls")).stdout).toContain("Hello");
});

test("[PG17] doctor opens a project in a database, and says what is wrong with it", async () => {
  const dir = project();
  const { store, env, run } = await shop();
  await ended(dir, ["--store", store, "new", "--wait", "Hello"], { env });
  expect(await ended(dir, ["--store", store, "doctor"], { env })).toMatchObject({ code: 0, stdout: expect.stringContaining("postgres") });
  await run("update colloquy_shop.version set number = 99");
  const { code, stdout } = await ended(dir, ["--store", store, "doctor"], { env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("was written by a newer Colloquy") });
});

test("[HE5] doctor folds every log of a database, and names the event that cannot be folded", async () => {
  const dir = project();
  const { store, env, run } = await shop();
  const stored = { env: { ...env, COLLOQUY_STORE: store } };
  await ended(dir, ["new", "--wait", "Hello"], stored);
  expect(await ended(dir, ["doctor"], stored)).toMatchObject({
    code: 0,
    stdout: expect.not.stringContaining("cannot be folded") as string,
  });
  await run("delete from colloquy_shop.bases");
  await run(`update colloquy_shop.lines set events = replace(events, '"message.added"', '"message.lost"')`);
  expect(await ended(dir, ["doctor"], stored)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/problem\tlogs\t.*event 2 cannot be folded: there is no event "message\.lost"/) as string,
  });
});
