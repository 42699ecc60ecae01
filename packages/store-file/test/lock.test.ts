import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { rejected, saying, treeId } from "@colloquy/store/contract";
import { expect, test } from "vitest";
import { realDisk } from "../src/disk/disk.ts";
import { Layout } from "../src/disk/layout.ts";
import { type Holder, lockProject, type Processes, realProcesses } from "../src/disk/lock.ts";
import { failure } from "./faulty-disk.ts";
import { projectFolder } from "./project-folder.ts";

const at = (hour: number, minute: number) => new Date(2026, 10, 15, hour, minute).getTime();

/** Live processes, by number. */
function town(...living: number[]) {
  const starts = new Map(living.map((pid) => [pid, `start of ${pid}`]));
  const as = (pid: number, host = "here"): Processes => ({ pid, host, startOf: (asked) => starts.get(asked) });
  return { starts, as };
}

async function lockable() {
  const folder = projectFolder();
  await (await folder.open()).close();
  return { folder, layout: new Layout(folder.dir) };
}

test("[L37] a second process is told which process has the project open, and since when", async () => {
  const { layout } = await lockable();
  const { as } = town(41233, 41234);
  const lock = lockProject(realDisk, layout, as(41233), at(9, 12));
  const locked = (processes: Processes, nowMs: number) => () => lockProject(realDisk, layout, processes, nowMs);
  expect(locked(as(41234), at(17, 0))).toThrow(
    "Process 41233 has had this project open since 09:12. Wait until it ends, or stop it with kill 41233; then try again.",
  );
  const nextDay = at(9, 0) + 24 * 3600_000;
  expect(locked(as(41234), nextDay)).toThrow("since 2026-11-15 09:12.");
  expect(locked(as(41234, "elsewhere"), at(17, 0))).toThrow(
    "Process 41233 on here has had this project open since 09:12. Wait until it ends, or stop it there; then try again. If that machine is gone, remove .dialogs/lock.",
  );
  lock.release();
  lockProject(realDisk, layout, as(41234), at(17, 0)).release();
});

test("[L37] the same process cannot open a project twice either", async () => {
  const folder = projectFolder();
  await folder.open();
  const second = projectFolder();
  await rejected(
    "store_locked",
    import("../src/index.ts").then(({ openFileStore }) => openFileStore(folder.dir)),
  );
  expect(await second.open()).toBeDefined();
});

test("[L38] a dead process's lock is taken over", async () => {
  const { folder, layout } = await lockable();
  const { starts, as } = town(100, 101);
  lockProject(realDisk, layout, as(100), at(9, 12));
  starts.delete(100);
  expect(lockProject(realDisk, layout, as(101), at(9, 13)).tookOver).toMatchObject({ pid: 100 });
  expect(JSON.parse(folder.text("lock"))).toMatchObject({ pid: 101, host: "here" });
  expect(readdirSync(folder.path()).filter((name) => name.startsWith("lock"))).toEqual(["lock"]);
});

test("[L38] a live process with the dead one's number is not the dead one", async () => {
  const { layout } = await lockable();
  const { starts, as } = town(100, 101);
  lockProject(realDisk, layout, as(100), at(9, 12));
  starts.set(100, "a later start");
  expect(lockProject(realDisk, layout, as(101), at(9, 13)).tookOver).toMatchObject({ pid: 100 });
});

test("[L38] an unreadable lock belongs to nobody", async () => {
  const { layout } = await lockable();
  writeFileSync(layout.lock, "");
  lockProject(realDisk, layout, town(101).as(101)).release();
  expect(existsSync(layout.lock)).toBe(false);
});

test("[L38] of several contenders for a dead process's lock, exactly one succeeds, however they interleave", async () => {
  const { layout } = await lockable();
  const { starts, as } = town(100, 101, 102);
  // The second contender comes in at each call of the first.
  for (let nth = 1; ; nth += 1) {
    lockProject(realDisk, layout, as(100));
    starts.delete(100);
    const outcomes: string[] = [];
    const take = (disk: typeof realDisk, pid: number) => {
      try {
        const { release } = lockProject(disk, layout, as(pid));
        outcomes.push(`${pid} has it`);
        return release;
      } catch {
        outcomes.push(`${pid} has not`);
        return () => {};
      }
    };
    let calls = 0;
    let release = () => {};
    const meddled = Object.fromEntries(
      Object.entries(realDisk).map(([op, call]) => [
        op,
        (...args: unknown[]) => {
          calls += 1;
          if (calls === nth) release = take(realDisk, 102);
          return (call as (...args: unknown[]) => unknown)(...args);
        },
      ]),
    ) as unknown as typeof realDisk;
    const releaseFirst = take(meddled, 101);
    if (calls < nth) break;
    expect(outcomes.filter((outcome) => outcome.endsWith("has it"))).toHaveLength(1);
    const holder = JSON.parse(String(await import("node:fs").then((fs) => fs.readFileSync(layout.lock)))) as Holder;
    expect(outcomes).toContain(`${holder.pid} has it`);
    release();
    releaseFirst();
    starts.set(100, "start of 100");
    expect(existsSync(layout.lock)).toBe(false);
  }
});

test("[L38] a contender that dies midway is inherited from in turn", async () => {
  const { folder, layout } = await lockable();
  const { starts, as } = town(100, 101, 102);
  lockProject(realDisk, layout, as(100));
  starts.delete(100);
  const dying = {
    ...realDisk,
    rename: () => {
      throw failure("EIO");
    },
  };
  expect(() => lockProject(dying, layout, as(101))).toThrow("EIO");
  expect(() => lockProject(realDisk, layout, as(102))).toThrow("Process 101"); // it is alive, and may still be working
  starts.delete(101);
  expect(lockProject(realDisk, layout, as(102)).tookOver).toMatchObject({ pid: 100 });
  expect(readdirSync(folder.path()).filter((name) => name.startsWith("lock"))).toEqual(["lock"]);
});

test("[L38] a claim torn by a power cut belongs to nobody", async () => {
  const { folder, layout } = await lockable();
  const { starts, as } = town(100, 101);
  const lock = lockProject(realDisk, layout, as(100), at(9, 12));
  const { token } = JSON.parse(folder.text("lock")) as Holder;
  starts.delete(100);
  for (const name of [`lock.heir-${token}`, "lock.heir-unreadable"]) writeFileSync(folder.path(name), '{"pid":');
  expect(lockProject(realDisk, layout, as(101), at(9, 13)).tookOver).toMatchObject({ pid: 100 });
  lock.release();
  expect(JSON.parse(folder.text("lock"))).toMatchObject({ pid: 101 });
});

test("[L38] with a torn claim too, exactly one contender succeeds, however they interleave", async () => {
  const { folder, layout } = await lockable();
  const { starts, as } = town(100, 101, 102);
  // The second contender comes in at each call of the first, and is blocked just before it would get the lock.
  for (let nth = 1; ; nth += 1) {
    lockProject(realDisk, layout, as(100), at(9, 12));
    const { token } = JSON.parse(folder.text("lock")) as Holder;
    starts.delete(100);
    writeFileSync(folder.path(`lock.heir-${token}`), '{"pid":');
    let isNext = false;
    const second = () => {
      const rename = () => {
        isNext = true;
        throw failure("EIO");
      };
      expect(() => lockProject({ ...realDisk, rename }, layout, as(102))).toThrow();
    };
    let calls = 0;
    const meddled = Object.fromEntries(
      Object.entries(realDisk).map(([op, call]) => [
        op,
        (...args: unknown[]) => {
          calls += 1;
          if (calls === nth) second();
          return (call as (...args: unknown[]) => unknown)(...args);
        },
      ]),
    ) as unknown as typeof realDisk;
    let hasIt = true;
    try {
      lockProject(meddled, layout, as(101));
    } catch {
      hasIt = false;
    }
    if (calls < nth) break;
    expect(`${nth}: ${hasIt && isNext ? "both" : "one"}`).toBe(`${nth}: one`);
    for (const name of readdirSync(folder.path())) if (name.startsWith("lock")) rmSync(folder.path(name));
    starts.set(100, "start of 100");
  }
});

test("[L38] a lock released while somebody reads it is free", async () => {
  const { layout } = await lockable();
  const { as } = town(100, 101);
  // At each read of the lock the other process releases it.
  for (const op of ["stat", "open", "read"] as const) {
    const lock = lockProject(realDisk, layout, as(100), at(9, 12));
    const meddled = {
      ...realDisk,
      [op]: (...args: Parameters<typeof realDisk.open>) => {
        if (op === "read" || args[0] === layout.lock) lock.release();
        return (realDisk[op] as (...args: unknown[]) => unknown)(...args);
      },
    };
    try {
      lockProject(meddled, layout, as(101), at(9, 13)).release();
    } catch (error) {
      expect(String(error)).toContain("Process 100 has had"); // it was read as a whole before
    }
  }
});

test("[L38] a failed write for lack of room leaves nothing behind", async () => {
  const { folder, layout } = await lockable();
  const write = () => {
    throw failure("ENOSPC");
  };
  expect(() => lockProject({ ...realDisk, write }, layout, town(101).as(101))).toThrow("ENOSPC");
  expect(readdirSync(folder.path()).filter((name) => name.startsWith("lock"))).toEqual([]);
});

test("[L38] [L54] a lock abandoned as after a crash is readable, however long it was before", async () => {
  const { folder, layout } = await lockable();
  lockProject(realDisk, layout, town(123_456).as(123_456), at(9, 12)).abandon();
  expect(JSON.parse(folder.text("lock"))).toMatchObject({ pid: 0 });
});

test("[L38] real processes: this one is alive, with its own start time", () => {
  expect(realProcesses).toMatchObject({ pid: process.pid, host: hostname() });
  expect(realProcesses.startOf(process.pid)).toBeTypeOf("string");
  expect(realProcesses.startOf(2 ** 30)).toBeUndefined();
});

test("[L39] the lock is released when the store is closed, and when opening fails", async () => {
  const folder = projectFolder();
  await (await folder.open()).close();
  expect(existsSync(folder.path("lock"))).toBe(false);
  const broken: typeof realDisk = {
    ...realDisk,
    stat(path) {
      if (path.includes("slot-")) throw failure("EIO");
      return realDisk.stat(path);
    },
  };
  await expect(folder.open({ disk: broken })).rejects.toThrow("EIO");
  expect(existsSync(folder.path("lock"))).toBe(false);
  expect((await folder.open()).entry(treeId(1))).toBeUndefined();
});

test("[L39] an opening that fails leaves no file open", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(treeId(1), 0, ["a"])], 0);
  await store.checkpoint();
  await store.commit([saying(treeId(1), 1, ["b"])], 0);
  folder.kill();
  for (const failing of ["sync", "writeSyncedAsync", "stat"] as const) {
    const open = new Set<number>();
    const disk: typeof realDisk = {
      ...realDisk,
      open(path, how) {
        const fd = realDisk.open(path, how);
        open.add(fd);
        return fd;
      },
      close(fd) {
        realDisk.close(fd);
        open.delete(fd);
      },
      stat(path) {
        if (failing === "stat" && path.includes("slot-")) throw failure("EIO");
        return realDisk.stat(path);
      },
      ...(failing !== "stat" && { [failing]: () => Promise.reject(failure("EIO")) }),
    };
    await expect(folder.open({ disk })).rejects.toThrow("EIO");
    expect([failing, [...open]]).toEqual([failing, []]);
  }
});

test("[L34] a project without room for its lock is refused with what to do", async () => {
  const folder = projectFolder();
  await (await folder.open()).close();
  const write = () => {
    throw failure("ENOSPC");
  };
  const fault = await rejected("log_full", folder.open({ disk: { ...realDisk, write } }));
  expect(fault.message).toContain("Free some space");
});

test("[L80] leftovers of dead processes that were taking the lock are removed; those of live ones stay", async () => {
  const { folder, layout } = await lockable();
  const { as, starts } = town(1, 2, 3);
  const left = (pid: number, token: string) =>
    folder.write(JSON.stringify({ pid, host: "here", since: "", start: starts.get(pid) ?? "", token } satisfies Holder), `lock.${token}`);
  left(2, "living");
  left(9, "dead");
  folder.write("", "lock.being-written");
  lockProject(realDisk, layout, as(1), at(9, 12)).release();
  expect(folder.names().filter((name) => name.startsWith("lock."))).toEqual(["lock.being-written", "lock.living"]);
});
