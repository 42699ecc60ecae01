import { truncateSync, readFileSync, writeFileSync } from "node:fs";
import { entryFor, made, rejected, saying, texts, treeId } from "@colloquy/store/contract";
import { PROJECT_STREAM } from "@colloquy/schema";
import { expect, test } from "vitest";
import type { FoldEntry } from "../src/inspect/rebuild.ts";
import { failure } from "./faulty-disk.ts";
import { projectFolder } from "./project-folder.ts";

const [one, two] = [treeId(1), treeId(2)];
const foldEntry: FoldEntry = (rootId, { lines }) => entryFor(rootId, { title: `${lines.length} lines` });

test("[L40] opening, lists and entries read no log of an idle tree", async () => {
  for (const end of ["a clean stop", "a crash"]) {
    const folder = projectFolder();
    const store = await folder.open();
    for (let n = 1; n <= 20; n += 1) await store.commit([saying(treeId(n), 0, ["a"])], 0);
    if (end === "a crash") {
      await store.checkpoint();
      await store.commit([saying(one, 1, ["b"])], 0);
      folder.kill();
    } else await store.close();
    const touched: string[] = [];
    const opening = folder.open();
    folder.faulty.trouble = (op, what) => {
      if (what.includes(`/run/`)) touched.push(`${op} ${what}`);
    };
    const reopened = await opening;
    expect(reopened.list().map((entry) => entry.rootId)).toHaveLength(20);
    expect(reopened.find("0", 50)).toHaveLength(20);
    expect(reopened.count("running")).toBe(20);
    expect(reopened.entry(two)).toEqual(entryFor(two));
    expect(touched).toEqual([]);
  }
});

test.each([
  ["missing", () => Buffer.alloc(0)],
  ["damaged in the middle", (bytes: Buffer) => Buffer.from(bytes.toString().replace("Tree", "Tred"))],
  ["cut at the end", (bytes: Buffer) => bytes.subarray(0, -10)],
  ["of a newer format", (bytes: Buffer) => Buffer.from(bytes.toString().replaceAll('"v":3', '"v":9'))],
  [
    "of an older format",
    (bytes: Buffer) =>
      Buffer.from(
        bytes
          .toString()
          .replaceAll('"v":3', '"v":2')
          .replaceAll(/"h":"..(.)"/g, '"h":"$1"'),
      ),
  ],
])("[L41] an index that is %s is rebuilt from the course files", async (_how, harm) => {
  const folder = projectFolder({ foldEntry });
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"]), { stream: PROJECT_STREAM, expected: 0, events: [made(one)] }], 0);
  await store.checkpoint();
  await store.commit([saying(one, 1, ["b"])], 0);
  await store.commit([saying(two, 0, ["c"])], 0);
  await store.close();
  folder.write(harm(folder.bytes("index.jsonl")), "index.jsonl");

  const reopened = await folder.open();
  expect(reopened.list().map((entry) => entry.title)).toEqual(["1 lines", "2 lines"]);
  expect(reopened.health()).toMatchObject({
    pos: 3,
    notices: ["The index was missing or damaged; it is made again from the course files."],
  });
  expect(await reopened.commit([saying(one, 2, ["d"])], 0)).toMatchObject({ pos: 4 });
  expect(await texts(reopened, one)).toEqual(["a", "b", "d"]);
  await reopened.close();
  expect((await folder.open()).health().notices).toEqual([]);
});

test("[L41] entries that could not be made when the index was lost are made later", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.close();
  truncateSync(folder.path("index.jsonl"));
  const ignorant = await folder.open();
  expect(ignorant.list()).toEqual([]);
  expect(await texts(ignorant, one)).toEqual(["a"]);
  await ignorant.close();
  expect((await folder.open({ foldEntry })).list().map((entry) => entry.title)).toEqual(["1 lines"]);
});

test("[L41] an index older than its course files accepts the unknown lines", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.close();
  const old = folder.bytes("index.jsonl");
  const again = await folder.open();
  await again.commit([saying(one, 1, ["b"])], 0);
  await again.close();
  folder.write(old, "index.jsonl");
  const reopened = await folder.open();
  expect((await reopened.open(one, 1))?.lines).toHaveLength(2);
  expect(await reopened.commit([saying(one, 2, ["c"])], 0)).toMatchObject({ pos: 3 });
  expect(reopened.health().notices[0]).toContain("had 1 lines that the index did not know");
});

test("[L42] a mostly stale index is rewritten", async () => {
  const folder = projectFolder({ compactAt: 4096 });
  const store = await folder.open();
  const size = () => readFileSync(folder.path("index.jsonl")).length;
  for (let n = 1; n <= 5; n += 1) await store.commit([saying(treeId(n), 0, ["a"])], 0);
  for (let seq = 1; seq <= 100; seq += 1) {
    await store.commit([saying(one, seq, [`${seq}`], { entry: entryFor(one, { title: `at ${seq}`, hot: seq % 2 === 0 }) })], 0);
    await store.checkpoint();
    expect(size()).toBeLessThan(6000);
  }
  const titles = (at: typeof store) => at.list().map((entry) => entry.title);
  const before = titles(store);
  expect(before.at(-1)).toBe("at 100");
  await store.close();
  const reopened = await folder.open();
  expect(titles(reopened)).toEqual(before);
  expect(reopened.hot()).toEqual([one]);
  expect(await texts(reopened, one)).toHaveLength(101);
});

test("[L51] after a crash the store says so, and names the trees whose files for people may be outdated", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  expect(store).toMatchObject({ crashed: false });
  for (const rootId of [one, two]) {
    await store.commit([saying(rootId, 0, ["a"])], 0);
    void store.project(rootId, [{ path: "latest.yaml", content: { seq: 1 } }]);
  }
  await store.close();
  const again = await folder.open();
  expect([again.crashed, [...again.recovered()]]).toEqual([false, []]);
  await again.commit([saying(one, 1, ["b"])], 0);
  await again.checkpoint();
  folder.kill();
  folder.write(
    JSON.stringify({ pid: 2 ** 30, host: (await import("node:os")).hostname(), since: "2026-11-15T09:12:00.000Z", start: "x", token: "x" }),
    "lock",
  );
  const crashed = await folder.open();
  expect([crashed.crashed, [...crashed.recovered()]]).toEqual([true, [one]]);
  await crashed.close();
  const next = await folder.open();
  expect([next.crashed, [...next.recovered()]]).toEqual([false, [one]]);
  void next.project(one, [{ path: "latest.yaml", content: { seq: 2 } }]);
  await next.close();
  expect([...(await folder.open()).recovered()]).toEqual([]);
});

test("[L56] a project killed before its index was written reports no damage", async () => {
  const folder = projectFolder({ foldEntry });
  const store = await folder.open();
  await store.commit([saying(treeId(1), 0, ["a"])], 0);
  await store.flush();
  folder.kill();
  const touched: string[] = [];
  const opening = folder.open();
  folder.faulty.trouble = (op, what) => {
    if (what.includes("/run/")) touched.push(`${op} ${what}`);
  };
  const again = await opening;
  expect(again.health().notices).toEqual([]);
  expect(again.count()).toBe(1);
  expect(touched).toEqual([]);
});

test("[L56] a project whose very first write was torn reports no damage", async () => {
  const folder = projectFolder({ foldEntry });
  await (await folder.open()).commit([saying(one, 0, ["lost"])], 0);
  folder.kill();
  const slot = folder.path("journal/slot-0");
  writeFileSync(slot, Buffer.from(readFileSync(slot)).fill(0, 50));
  const store = await folder.open();
  await store.commit([saying(two, 0, ["a"])], 0);
  await store.flush();
  folder.kill();
  const again = await folder.open();
  expect(again.health().notices.filter((notice) => notice.includes("index"))).toEqual([]);
  expect(await texts(again, two)).toEqual(["a"]);
});

test("[L56] a project with a lost index, killed before it was rebuilt, has everything", async () => {
  const folder = projectFolder({ foldEntry });
  const store = await folder.open();
  for (const rootId of [one, two]) await store.commit([saying(rootId, 0, ["a"])], 0);
  await store.close();
  truncateSync(folder.path("index.jsonl"));
  const again = await folder.open();
  await again.commit([saying(one, 1, ["b"])], 0);
  folder.kill();
  const third = await folder.open();
  expect(third.count()).toBe(2);
  expect([await texts(third, one), await texts(third, two)]).toEqual([["a", "b"], ["a"]]);
});

test("[L56] a power cut during an index append, while nothing was committed, is no damage", async () => {
  const folder = projectFolder({ foldEntry });
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.close();
  await (await folder.open()).close({ asCrashed: true });
  folder.write(Buffer.concat([folder.bytes("index.jsonl"), Buffer.from('{"s":"r","h":"0')]), "index.jsonl");
  const again = await folder.open();
  expect(again.health().notices.filter((notice) => notice.includes("index"))).toEqual([]);
  expect(await texts(again, one)).toEqual(["a"]);
});

test("[L59] [L42] a rewritten index whose name may not be durable stops the store", async () => {
  const folder = projectFolder({ compactAt: 4096 });
  const store = await folder.open();
  for (let n = 0; n < 40; n += 1) {
    await store.commit([saying(one, n, ["a"])], 0);
    await store.checkpoint();
    if (folder.text("index.jsonl").length > 4096) break;
  }
  let isRenamed = false;
  folder.faulty.trouble = (op, what) => {
    if (op === "rename" && what.endsWith("index.jsonl.tmp")) isRenamed = true;
    if (op === "syncFolder" && isRenamed) throw failure("EIO");
  };
  const { seq = 0 } = (await store.read(one, 0)).at(-1) ?? {};
  await store.commit([saying(one, seq, ["b"])], 0);
  await rejected("log_unavailable", store.checkpoint());
  expect(isRenamed).toBe(true);
  await rejected("log_unavailable", store.commit([saying(one, seq + 1, ["c"])], 0));
});
