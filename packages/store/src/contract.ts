import { Bug, Fault, type Line, PROJECT_STREAM, type Snapshot, type StreamId } from "@colloquy/schema";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { copyOf, deleted, entryFor, made, said, samplePast, saying, snapshotAt, treeId } from "./samples.ts";
import type { Committed, Opened, Store } from "./store.ts";

export * from "./samples.ts";

/** A store under test, and two ways to reopen it. */
export interface Subject {
  readonly store: Store;
  /** Closes it and opens it again. */
  reopen(): Promise<Store>;
  /** Its process dies; opens what is left. */
  crash(): Promise<Store>;
}

const NOW = Date.UTC(2026, 10, 15, 9, 12);
const [one, two, three] = [treeId(1), treeId(2), treeId(3)];

/** The rules of docs/SPEC/log.md that every store follows. */
export function storeContract(name: string, open: () => Promise<Subject>): void {
  async function begin() {
    const subject = await open();
    let current = subject.store;
    onTestFinished(() => current.close());
    return {
      store: current,
      reopen: async () => (current = await subject.reopen()),
      crash: async () => (current = await subject.crash()),
    };
  }

  describe(`${name} keeps the store's contract`, () => {
    test("[L1] a commit takes the next pos, and its events the next seqs of their streams", async () => {
      const { store } = await begin();
      const first = await store.commit([saying(one, 0, ["a", "b"])], NOW);
      const second = await store.commit([saying(two, 0, ["c"]), { stream: PROJECT_STREAM, expected: 0, events: [made(two)] }], NOW);
      const third = await store.commit([saying(one, 2, ["d"])], NOW);
      expect([first, second, third].map(numbers)).toEqual([
        { pos: 1, seqs: [[one, 1]] },
        {
          pos: 2,
          seqs: [
            [two, 1],
            [PROJECT_STREAM, 1],
          ],
        },
        { pos: 3, seqs: [[one, 3]] },
      ]);
    });

    test("[L2] a commit is in all of its streams or in none", async () => {
      const { store } = await begin();
      await store.commit([saying(one, 0, ["a"])], NOW);
      await rejected("log_conflict", store.commit([saying(two, 0, ["b"]), saying(one, 0, ["b"])], NOW));
      expect(await texts(store, two)).toEqual([]);
      expect(store.entry(two)).toBeUndefined();
      expect([store.has(one), store.has(two), store.has("nonsense" as never)]).toEqual([true, false, false]);
      expect(await store.commit([saying(two, 0, ["c"]), saying(one, 1, ["c"])], NOW)).toMatchObject({ pos: 2 });
    });

    test("[L3] of two writers at one head, exactly one wins", async () => {
      const { store } = await begin();
      const results = await Promise.allSettled([store.commit([saying(one, 0, ["a"])], NOW), store.commit([saying(one, 0, ["b"])], NOW)]);
      expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected"]);
      expect(await texts(store, one)).toEqual(["a"]);
      await rejected("log_conflict", store.commit([saying(one, 5, ["c"])], NOW));
    });

    test("[L4] a caller may build on a commit in flight; commits become durable in the order of the calls", async () => {
      const { store } = await begin();
      const order: string[] = [];
      const commit = (expected: number, text: string) => store.commit([saying(one, expected, [text])], NOW).then(() => order.push(text));
      await Promise.all([commit(0, "a"), commit(1, "b"), commit(2, "c")]);
      expect(order).toEqual(["a", "b", "c"]);
      expect(await texts(store, one)).toEqual(["a", "b", "c"]);
    });

    test("[L83] a follower's position is durable, and the trees that changed after it are found again", async () => {
      const { store, crash, reopen } = await begin();
      const changed = async (of: Store, pos: number) => {
        const found: string[] = [];
        for await (const rootId of of.changedSince(pos)) found.push(rootId);
        return found.toSorted();
      };
      expect(await store.cursor("spans").claim()).toEqual({ pos: undefined });
      await store.commit([saying(one, 0, ["a"])], NOW);
      const { pos } = await store.commit([saying(two, 0, ["b"]), { stream: PROJECT_STREAM, expected: 0, events: [made(two)] }], NOW);
      expect(await store.cursor("spans").save(pos)).toBe(true);
      await store.commit([saying(one, 1, ["c"])], NOW);
      expect(await changed(store, pos)).toEqual([one]);
      const crashed = await crash();
      await expect.poll(() => crashed.cursor("spans").claim()).toEqual({ pos });
      expect(await changed(crashed, pos)).toEqual([one]);
      await crashed.commit([saying(three, 0, ["d"])], NOW);
      await crashed.cursor("spans").release();
      const reopened = await reopen();
      expect(await reopened.cursor("spans").claim()).toEqual({ pos });
      expect(await changed(reopened, pos)).toEqual([one, three]);
      expect(await changed(reopened, reopened.health().pos)).toEqual([]);
      expect(await reopened.cursor("other").claim()).toEqual({ pos: undefined });
    });

    test("[L5] acknowledged commits are there after a crash and after a clean stop", async () => {
      const { store, crash, reopen } = await begin();
      const { lines } = await store.commit([saying(one, 0, ["a"]), { stream: PROJECT_STREAM, expected: 0, events: [made(one)] }], NOW);
      const crashed = await crash();
      expect(await crashed.read(one, 0)).toEqual([lines[0]?.line]);
      expect(await crashed.read(PROJECT_STREAM, 0)).toEqual([lines[1]?.line]);
      await crashed.commit([saying(one, 1, ["b"])], NOW);
      const reopened = await reopen();
      expect(await texts(reopened, one)).toEqual(["a", "b"]);
      expect(reopened.entry(one)).toEqual(entryFor(one));
    });

    test("[L6] numbering continues after a crash and after a clean stop", async () => {
      const { store, crash, reopen } = await begin();
      await store.commit([saying(one, 0, ["a", "b"])], NOW);
      expect(numbers(await (await crash()).commit([saying(one, 2, ["c"])], NOW))).toEqual({ pos: 2, seqs: [[one, 3]] });
      const reopened = await reopen();
      expect(reopened.health().pos).toBe(2);
      expect(numbers(await reopened.commit([saying(one, 3, ["d"])], NOW))).toEqual({ pos: 3, seqs: [[one, 4]] });
    });

    test("[L7] read returns the lines with an event after a seq, whole and in order, up to a limit", async () => {
      const { store } = await begin();
      await store.commit([saying(one, 0, ["a", "b"])], NOW);
      await store.commit([saying(one, 2, ["c", "d"])], NOW);
      await store.commit([saying(one, 4, ["e"])], NOW);
      expect(await texts(store, one, 0)).toEqual(["a", "b", "c", "d", "e"]);
      expect(await texts(store, one, 2)).toEqual(["c", "d", "e"]);
      expect(await texts(store, one, 3)).toEqual(["c", "d", "e"]);
      expect(await texts(store, one, 1, 2)).toEqual(["a", "b", "c", "d"]);
      expect(await texts(store, one, 5)).toEqual([]);
      expect(await store.read(two, 0)).toEqual([]);
    });

    test("[L8] a line is stored as committed, even if the caller later changes its objects", async () => {
      const { store } = await begin();
      const event = said(one, 'grüße 你好 \u{1f600} \u2028 "quoted"\nnext line');
      const entry = entryFor(one, { title: "您好" });
      await store.commit([{ stream: one, expected: 0, events: [event], entry }], NOW);
      Object.assign(event, { content: "changed" });
      Object.assign(entry, { title: "changed" });
      const content = 'grüße 你好 \u{1f600} \u2028 "quoted"\nnext line';
      expect(await store.read(one, 0)).toEqual([{ v: 1, pos: 1, seq: 1, at: "2026-11-15T09:12:00.000Z", events: [said(one, content)] }]);
      expect(store.entry(one)?.title).toBe("您好");
    });

    test("[L9] open returns everything in a stream; an unknown stream returns nothing", async () => {
      const { store } = await begin();
      expect(await store.open(one, 1)).toBeUndefined();
      expect(await store.open(PROJECT_STREAM, 1)).toBeUndefined();
      await store.commit([saying(one, 0, ["a"]), { stream: PROJECT_STREAM, expected: 0, events: [made(one)] }], NOW);
      expect(shape(await store.open(one, 1))).toEqual({ base: undefined, seqs: [1] });
      expect(shape(await store.open(PROJECT_STREAM, 1))).toEqual({ base: undefined, seqs: [1] });
    });

    test("[L10] the next open starts from a snapshot and adds the lines after it", async () => {
      const { store, reopen, crash } = await begin();
      await store.commit([saying(one, 0, ["a"])], NOW);
      await store.commit([saying(one, 1, ["b", "c"]), { stream: PROJECT_STREAM, expected: 0, events: [made(one)] }], NOW);
      await store.saveSnapshot(one, snapshotAt(3));
      await store.saveSnapshot(PROJECT_STREAM, snapshotAt(1));
      expect(await store.open(one, 1)).toEqual({ base: snapshotAt(3), lines: [] });
      await store.commit([saying(one, 3, ["d"])], NOW);
      expect(shape(await store.open(one, 1))).toEqual({ base: 3, seqs: [4] });
      const reopened = await reopen();
      expect(shape(await reopened.open(one, 1))).toEqual({ base: 3, seqs: [4] });
      expect(await reopened.open(PROJECT_STREAM, 1)).toEqual({ base: snapshotAt(1), lines: [] });
      expect(shape(await (await crash()).open(one, 1))).toEqual({ base: 3, seqs: [4] });
    });

    test("[L10] a snapshot made while others commit is the base, with the lines after it", async () => {
      const { store, reopen, crash } = await begin();
      await store.commit([saying(one, 0, ["a"])], NOW);
      const first = store.commit([saying(one, 1, ["b"])], NOW);
      const saved = store.saveSnapshot(one, snapshotAt(2));
      const second = store.commit([saying(one, 2, ["c"])], NOW);
      await Promise.all([first, saved, second]);
      await store.commit([saying(one, 3, ["d"])], NOW);
      for (const way of [async () => store, crash, reopen])
        expect(shape(await (await way()).open(one, 1))).toEqual({ base: 2, seqs: [3, 4] });
    });

    test("[L11] a snapshot of another reducer, or from beyond the log's end, is not used", async () => {
      const { store, crash } = await begin();
      await store.commit([saying(one, 0, ["a"])], NOW);
      await store.saveSnapshot(one, snapshotAt(1, { reducer: 7 }));
      expect(shape(await store.open(one, 1))).toEqual({ base: undefined, seqs: [1] });
      await store.saveSnapshot(one, snapshotAt(9));
      await store.saveSnapshot(two, snapshotAt(1));
      const crashed = await crash();
      expect(shape(await crashed.open(one, 1))).toEqual({ base: undefined, seqs: [1] });
      expect(await crashed.open(two, 1)).toBeUndefined();
    });

    test("[L12] a new course asks once for the state before it, which then serves as a base", async () => {
      const { store, reopen } = await begin();
      const checkpoint = vi.fn<() => Snapshot>(() => snapshotAt(2));
      await store.commit([saying(one, 0, ["a"], { course: 1, checkpoint })], NOW);
      await store.commit([saying(one, 1, ["b"], { course: 1, checkpoint })], NOW);
      expect(checkpoint).not.toHaveBeenCalled();
      await store.commit([saying(one, 2, ["c"], { course: 2, checkpoint })], NOW);
      await store.commit([saying(one, 3, ["d"], { course: 2, checkpoint })], NOW);
      expect(checkpoint).toHaveBeenCalledTimes(1);
      for (const way of [async () => store, reopen]) {
        const at = await way();
        expect(await texts(at, one)).toEqual(["a", "b", "c", "d"]);
        expect(await texts(at, one, 1)).toEqual(["b", "c", "d"]);
        expect(shape(await at.open(one, 1))).toEqual({ base: 2, seqs: [3, 4] });
        expect(shape(await at.open(one, 2))).toEqual({ base: undefined, seqs: [1, 2, 3, 4] });
      }
    });

    test("[L53] trees with open questions, a fault put to a person, or deadlines are found, and open questions counted, without reading entries", async () => {
      const { store, crash, reopen } = await begin();
      const question = {
        id: "c".repeat(32),
        dialog: one,
        agent: "lead",
        kind: "question",
        headline: "Which?",
        askedAt: "2026-01-01T00:00:00.000Z",
        behind: 0,
      };
      await store.commit([saying(one, 0, ["a"], { entry: entryFor(one, { questions: [question as never] }) })], NOW);
      await store.commit([saying(two, 0, ["a"], { entry: entryFor(two, { due: 7 }) })], NOW);
      const fault = { ...question, kind: "fault" };
      const some = [fault, ...Array.from({ length: 300 }, () => question)];
      await store.commit([saying(three, 0, ["a"], { entry: entryFor(three, { questions: some as never, due: 7 }) })], NOW);
      const look = (at: Store) => ({ asking: at.asking(), timed: at.timed(), faulted: at.faulted(), open: at.openQuestions() });
      expect(look(store)).toEqual({ asking: [three, one], timed: [three, two], faulted: [three], open: 302 });
      const crashed = await crash();
      expect(look(crashed)).toEqual({ asking: [three, one], timed: [three, two], faulted: [three], open: 302 });
      await crashed.commit([saying(one, 1, ["b"], { entry: entryFor(one, {}) })], NOW);
      expect(look(crashed)).toEqual({ asking: [three], timed: [three, two], faulted: [three], open: 301 });
      const again = await reopen();
      expect(look(again)).toEqual({ asking: [three], timed: [three, two], faulted: [three], open: 301 });
      await again.commit([saying(three, 1, ["b"], { entry: entryFor(three, {}) })], NOW);
      const last = await reopen();
      expect(look(last)).toEqual({ asking: [], timed: [two], faulted: [], open: 0 });
      const call = { call: "d".repeat(32), dialog: two, agent: "lead", tool: "pay", at: "2026-01-01T00:00:00.000Z" };
      await last.commit([saying(two, 1, ["b"], { entry: entryFor(two, { unsettled: [call as never] }) })], NOW);
      expect(look(last)).toEqual({ asking: [two], timed: [], faulted: [], open: 0 });
    });

    test("[L54] a store closed before a crash was dealt with reports it to the next one", async () => {
      const { store, crash, reopen } = await begin();
      await store.commit([saying(one, 0, ["a"])], NOW);
      const crashed = await crash();
      expect(crashed.crashed).toBe(true);
      await crashed.close({ asCrashed: true });
      const again = await reopen();
      expect(again.crashed).toBe(true);
      await again.close();
      expect((await reopen()).crashed).toBe(false);
    });

    test("[L13] entries reflect every resolved commit; a part without an entry leaves it unchanged", async () => {
      const { store, crash, reopen } = await begin();
      await store.commit([saying(one, 0, ["a"], { entry: entryFor(one, { hot: true, state: "working" }) })], NOW);
      await store.commit([saying(two, 0, ["a"])], NOW);
      await store.commit([{ stream: one, expected: 1, events: [said(one, "b")] }], NOW);
      const look = (at: Store) => ({
        hot: at.hot(),
        all: at.count(),
        running: at.count("running"),
        done: at.count("completed"),
        state: at.entry(one)?.state,
      });
      const before = { hot: [one], all: 2, running: 2, done: 0, state: "working" };
      expect(look(store)).toEqual(before);
      const crashed = await crash();
      expect(look(crashed)).toEqual(before);
      await crashed.commit([saying(one, 2, ["c"], { entry: entryFor(one, { status: "completed", state: "done" }) })], NOW);
      const after = { hot: [], all: 2, running: 1, done: 1, state: "done" };
      expect(look(crashed)).toEqual(after);
      expect(look(await reopen())).toEqual(after);
      expect(store.entry(three)).toBeUndefined();
    });

    test("[L14] lists are newest first, by status, paged", async () => {
      const { store, reopen } = await begin();
      for (const n of [2, 5, 1, 4, 3]) {
        const status = n % 2 ? "running" : "completed";
        await store.commit([saying(treeId(n), 0, ["a"], { entry: entryFor(treeId(n), { status }) })], NOW);
      }
      for (const way of [async () => store, reopen]) {
        const at = await way();
        const ids = (...query: Parameters<Store["list"]>) => at.list(...query).map((entry) => entry.rootId);
        expect(ids()).toEqual([5, 4, 3, 2, 1].map(treeId));
        expect(ids({ status: "completed" })).toEqual([4, 2].map(treeId));
        expect(ids({ limit: 2 })).toEqual([5, 4].map(treeId));
        expect(ids({ after: treeId(4), limit: 2 })).toEqual([3, 2].map(treeId));
        expect(ids({ after: treeId(3), status: "running" })).toEqual([treeId(1)]);
      }
    });

    test("[L15] a tree is found by the digits its id begins or ends with, newest first, up to a limit", async () => {
      const { store } = await begin();
      for (const n of [1, 2, 3]) await store.commit([saying(treeId(n), 0, ["a"])], NOW);
      expect(store.find(two, 5)).toEqual([two]);
      expect(store.find(two.slice(-6), 5)).toEqual([two]);
      expect(store.find(two.slice(0, 6), 2)).toEqual([three, two]);
      expect(store.find("ffffff", 5)).toEqual([]);
      expect(store.find(two.slice(-8), 5)).toEqual([two]);
      await store.commit([saying(treeId(4), 0, ["a"])], NOW);
      expect(store.find(treeId(4).slice(-8), 5)).toEqual([treeId(4)]);
    });

    test("[L16] a watcher receives each commit once, in order, when it is durable, until it unsubscribes", async () => {
      const { store } = await begin();
      const seen: Committed[] = [];
      const stop = store.watch((committed) => seen.push(committed));
      const first = store.commit([saying(one, 0, ["a"])], NOW);
      const second = store.commit([saying(two, 0, ["b"])], NOW);
      expect(seen).toEqual([]);
      expect(await Promise.all([first, second])).toEqual(seen);
      stop();
      await store.commit([saying(one, 1, ["c"])], NOW);
      expect(seen.map((committed) => committed.pos)).toEqual([1, 2]);
    });

    test("[L17] a blob is kept unchanged; one never stored is absent; no name leads elsewhere", async () => {
      const { store, crash } = await begin();
      const content = new Uint8Array([0, 255, 10, 13]);
      await store.commit([saying(one, 0, ["a"])], NOW);
      await store.putBlob(one, "call-1.txt", content);
      content.fill(7);
      expect(await store.getBlob(one, "call-1.txt")).toEqual(new Uint8Array([0, 255, 10, 13]));
      expect(await store.getBlob(one, "call-2.txt")).toBeUndefined();
      expect(await store.getBlob(two, "call-1.txt")).toBeUndefined();
      for (const name of ["", "..", "a/b", "a\\b", ".hidden"]) await expect(store.putBlob(one, name, content)).rejects.toThrow(Bug);
      await store.putBlob(one, "a.png", content);
      expect([await store.blobNames(one), await store.blobNames(two)]).toEqual([["a.png", "call-1.txt"], []]);
      const crashed = await crash();
      expect(await crashed.getBlob(one, "call-1.txt")).toEqual(new Uint8Array([0, 255, 10, 13]));
      expect(await crashed.blobNames(one)).toEqual(["a.png", "call-1.txt"]);
    });

    test("[L85] the past of a copied tree is stored as it is, and counts once a commit continues it", async () => {
      const { store, crash, reopen } = await begin();
      await store.commit([saying(one, 0, ["x"])], NOW);
      const seen: Committed[] = [];
      store.watch((committed) => seen.push(committed));
      const staged = await store.stage(two, samplePast(two));
      expect(staged.seq).toBe(4);
      expect([store.has(two), store.list().length, await texts(store, two), seen]).toEqual([false, 1, [], []]);
      expect(await store.open(two, 1)).toBeUndefined();
      const copied = (expected: number) => saying(two, expected, [], { events: [copyOf(two, one), said(two, "e", 2)], course: 2 });
      await rejected("log_conflict", store.commit([copied(0)], NOW));
      await store.commit([copied(4), { stream: PROJECT_STREAM, expected: 0, events: [made(two)] }], NOW);
      expect(seen.map(({ pos }) => pos)).toEqual([2]);
      const since: string[] = [];
      for await (const rootId of store.changedSince(1)) since.push(rootId);
      expect(since).toEqual([two]);
      const check = async (current: Store) => {
        expect(await texts(current, two)).toEqual(["a", "b", "c", "d", "dialog.copied", "e"]);
        const lines = await current.read(two, 0);
        expect(lines.map(({ pos, seq, at }) => [pos, seq, at.slice(0, 10)])).toEqual([
          [70, 1, "2025-01-01"],
          [90, 3, "2025-01-02"],
          [2, 5, "2026-11-15"],
        ]);
        expect((await current.open(two, 1))?.base).toMatchObject({ seq: 2 });
        expect(await current.getBlob(two, "picture.png")).toEqual(new Uint8Array([1, 2, 3]));
        expect([current.has(two), current.health().pos]).toEqual([true, 2]);
      };
      await check(store);
      await check(await crash());
      const again = await reopen();
      await check(again);
      expect(await again.commit([saying(two, 6, ["f"], { course: 2 })], NOW)).toMatchObject({ pos: 3 });
    });

    test("[L85] a past that no commit continued is gone with the next opening", async () => {
      const { store, crash, reopen } = await begin();
      await store.commit([saying(one, 0, ["x"])], NOW);
      await store.stage(two, samplePast(two));
      await store.stage(two, samplePast(two)); // another attempt
      const after = await crash();
      expect([after.has(two), await texts(after, two), await after.blobNames(two)]).toEqual([false, [], []]);
      await rejected("log_conflict", after.commit([saying(two, 4, ["e"], { course: 2 })], NOW));
      await after.stage(three, samplePast(three));
      await rejected("log_conflict", after.stage(one, samplePast(one)));
      expect(await texts(after, one)).toEqual(["x"]);
      const again = await reopen();
      await rejected("log_conflict", again.commit([saying(three, 4, ["e"], { course: 2 })], NOW));
      expect(await again.commit([saying(three, 0, ["a"])], NOW)).toMatchObject({ pos: 2 });
    });

    test("[L86] a commit that deletes a tree takes everything of it along, and its id can be used again by a copy", async () => {
      const { store, crash, reopen } = await begin();
      await store.commit([saying(one, 0, ["kept"]), { stream: PROJECT_STREAM, expected: 0, events: [made(one)] }], NOW);
      const asking = { entry: entryFor(two, { hot: true, due: 5, status: "completed" }) };
      await store.commit([saying(two, 0, ["a", "b"], asking)], NOW);
      await store.saveSnapshot(two, snapshotAt(2));
      await store.putBlob(two, "picture.png", new Uint8Array([1, 2, 3]));
      const gone = { stream: PROJECT_STREAM, expected: 1, events: [deleted(two)] } as const;
      const late = saying(two, 2, ["c"]);
      const last = store.commit([gone], NOW);
      await store.commit([late], NOW).catch(() => undefined); // in flight: it is refused, or goes with its tree
      expect(await last).toMatchObject({ pos: 3 });
      const check = async (current: Store) => {
        expect([current.has(two), current.entry(two), await texts(current, two)]).toEqual([false, undefined, []]);
        expect([await current.open(two, 1), await current.blobNames(two), await current.getBlob(two, "picture.png")]).toEqual([
          undefined,
          [],
          undefined,
        ]);
        expect([current.hot(), current.timed(), current.count(), current.count("completed")]).toEqual([[], [], 1, 0]);
        expect([current.list().map(({ rootId }) => rootId), current.find(two, 5)]).toEqual([[one], []]);
        expect(await texts(current, one)).toEqual(["kept"]);
      };
      await check(store);
      await rejected("log_conflict", store.commit([saying(two, 2, ["c"])], NOW));
      await store.saveSnapshot(two, snapshotAt(2));
      const after = await crash();
      await check(after);
      await after.stage(two, samplePast(two));
      const copied = saying(two, 4, [], { events: [copyOf(two, one)], course: 2 });
      await after.commit([copied, { stream: PROJECT_STREAM, expected: 2, events: [made(two)] }], NOW);
      const whole = async (current: Store) => {
        expect(await texts(current, two)).toEqual(["a", "b", "c", "d", "dialog.copied"]);
        expect([current.has(two), current.count(), await current.blobNames(two)]).toEqual([true, 2, ["picture.png"]]);
      };
      await whole(after);
      const again = await crash();
      await whole(again);
      await whole(await reopen());
    });

    test("[L86] an id is free for a copy as soon as its tree is deleted", async () => {
      const { store, crash, reopen } = await begin();
      await store.commit([saying(two, 0, ["a", "b"]), { stream: PROJECT_STREAM, expected: 0, events: [made(two)] }], NOW);
      for (let seq = 1; seq < 5; seq += 2) {
        await store.commit([{ stream: PROJECT_STREAM, expected: seq, events: [deleted(two)] }], NOW);
        await store.stage(two, samplePast(two));
        const copied = saying(two, 4, [], { events: [copyOf(two, one)], course: 2 });
        await store.commit([copied, { stream: PROJECT_STREAM, expected: seq + 1, events: [made(two)] }], NOW);
      }
      const after = await crash();
      expect(await texts(after, two)).toEqual(["a", "b", "c", "d", "dialog.copied"]);
      expect(await texts(await reopen(), two)).toEqual(["a", "b", "c", "d", "dialog.copied"]);
    });

    test("[L18] closing makes commits in flight durable, and accepts nothing after that", async () => {
      const { store, reopen } = await begin();
      const last = store.commit([saying(one, 0, ["a"])], NOW);
      await store.close();
      await expect(last).resolves.toMatchObject({ pos: 1 });
      await rejected("log_unavailable", store.commit([saying(one, 1, ["b"])], NOW));
      await store.close();
      expect(await texts(await reopen(), one)).toEqual(["a"]);
    });

    test("[L18] closing waits for an earlier commit even if a later one was refused", async () => {
      const { store, reopen } = await begin();
      const settled: number[] = [];
      void store.commit([saying(one, 0, ["a"])], NOW).then(({ pos }) => settled.push(pos));
      await rejected("log_conflict", store.commit([saying(one, 7, ["b"])], NOW));
      await store.close();
      expect(settled).toEqual([1]);
      const again = await reopen();
      expect(await texts(again, one)).toEqual(["a"]);
      expect(again.crashed).toBe(false);
    });

    test("[L19] the store's health counts commits, and the syncs that concurrent commits share", async () => {
      const { store } = await begin();
      await Promise.all([1, 2, 3, 4].map((n) => store.commit([saying(treeId(n), 0, ["a"])], NOW)));
      expect(store.health()).toMatchObject({ pos: 4, trees: 4, commits: 4, syncs: 1, refusing: undefined, notices: [] });
    });

    test("[L20] a commit without events, or with a stream twice, is an error and changes nothing", async () => {
      const { store } = await begin();
      for (const parts of [[], [saying(one, 0, [])], [saying(one, 0, ["a"]), saying(one, 1, ["b"])]]) {
        await expect(store.commit(parts, NOW)).rejects.toThrow(Bug);
      }
      expect(await store.commit([saying(one, 0, ["a"])], NOW)).toMatchObject({ pos: 1 });
    });
  });
}

/** Expects a `Fault` with this code. */
export async function rejected(code: Fault["code"], promise: Promise<unknown>): Promise<Fault> {
  const fault: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(fault).toBeInstanceOf(Fault);
  expect((fault as Fault).code).toBe(code);
  return fault as Fault;
}

/** The texts of a stream, in order. */
export async function texts(store: Store, stream: StreamId, after = 0, limit?: number): Promise<string[]> {
  return spoken(await store.read(stream, after, limit));
}

export const spoken = (lines: readonly Line[]): string[] =>
  lines.flatMap((line) => line.events.map((event) => ("content" in event && event.content !== undefined ? event.content : event.type)));

const numbers = ({ pos, lines }: Committed) => ({ pos, seqs: lines.map(({ stream, line }) => [stream, line.seq]) });
const shape = (opened: Opened | undefined) => opened && { base: opened.base?.seq, seqs: opened.lines.map((line) => line.seq) };
