import type { Entry, RootId, Status } from "@colloquy/schema";
import { PROJECT_STREAM } from "@colloquy/schema";
import { deletedIn, type StreamPart } from "@colloquy/store";
import { copyOf, entryFor, made, said, samplePast, saying, snapshotAt, treeId } from "@colloquy/store/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { FileStore } from "../src/index.ts";
import { openFileStore } from "../src/index.ts";
import type { Processes } from "../src/disk/lock.ts";
import { CrashDisk } from "./crash-disk.ts";

// After any operations in any order and a power cut at any point: everything acknowledged is there, nothing is partial, and the rest that
// survives is a prefix of what was submitted.

const DIR = "/project";
const TREES = 4;
/** Further trees, which begin with a past from elsewhere. */
const COPIES = 2;

type Step =
  | { readonly do: "commit"; readonly commits: readonly Planned[] }
  | { readonly do: "flush" | "checkpoint" | "reopen" | "kill" | "crash" }
  | { readonly do: "snapshot"; readonly tree: number }
  | { readonly do: "copy"; readonly tree: number; readonly isContinued: boolean }
  | { readonly do: "delete"; readonly tree: number }
  /** Within the next few writes the process dies, or the power fails. */
  | { readonly do: "doom"; readonly writes: number; readonly isPower: boolean };

interface Planned {
  readonly trees: readonly number[];
  readonly isProject: boolean;
  readonly size: number;
  readonly status: Status;
  readonly isNewCourse: boolean;
}

const planned = fc.record({
  trees: fc.uniqueArray(fc.integer({ min: 1, max: TREES }), { minLength: 1, maxLength: 2 }),
  isProject: fc.boolean(),
  size: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 0, max: 300 }) }, { weight: 1, arbitrary: fc.constant(6000) }),
  status: fc.constantFrom<Status>("running", "running", "completed", "archived"),
  isNewCourse: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("commit" as const), commits: fc.array(planned, { minLength: 1, maxLength: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("flush" as const, "checkpoint" as const, "reopen" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("kill" as const, "crash" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("snapshot" as const), tree: fc.integer({ min: 1, max: TREES }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("copy" as const),
      tree: fc.integer({ min: TREES + 1, max: TREES + COPIES }),
      isContinued: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("delete" as const), tree: fc.integer({ min: TREES + 1, max: TREES + COPIES }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("doom" as const), writes: fc.integer({ min: 1, max: 12 }), isPower: fc.boolean() }) },
);

/** What the world was promised. */
class Story {
  /** Every commit submitted since the store was opened, or that survived from before. */
  readonly commits: { readonly parts: readonly StreamPart[]; isAcknowledged: boolean }[] = [];
  #heads = new Map<string, { seq: number; course: number }>();

  head(stream: string): { seq: number; course: number } {
    return this.#heads.get(stream) ?? { seq: 0, course: 1 };
  }

  add(parts: readonly StreamPart[]) {
    const commit = { parts, isAcknowledged: false };
    this.commits.push(commit);
    this.#advance(parts);
    return commit;
  }

  /** The first `pos` of them exist. */
  settle(pos: number): void {
    this.commits.length = pos;
    this.#heads = new Map();
    for (const commit of this.commits) {
      commit.isAcknowledged = true;
      this.#advance(commit.parts);
    }
  }

  acknowledged(): number {
    return this.commits.findLastIndex((commit) => commit.isAcknowledged) + 1;
  }

  /** The past of each copied tree. */
  readonly pasts = new Map<string, readonly string[]>();

  lines(stream: string): string[] {
    const own = this.commits
      .slice(this.commits.findLastIndex(({ parts }) => deletes(parts, stream)) + 1)
      .flatMap(({ parts }) => parts.filter((part) => part.stream === stream).map((part) => JSON.stringify(part.events)));
    return own.length > 0 ? [...(this.pasts.get(stream) ?? []), ...own] : [];
  }

  entries(): Map<RootId, Entry> {
    const entries = new Map<RootId, Entry>();
    for (const { parts } of this.commits) {
      for (const { entry } of parts) if (entry) entries.set(entry.rootId, entry);
      for (const { stream, events } of parts) for (const rootId of deletedIn(stream, events)) entries.delete(rootId);
    }
    return entries;
  }

  #advance(parts: readonly StreamPart[]): void {
    for (const { stream, expected, events, course } of parts)
      this.#heads.set(stream, { seq: expected + events.length, course: course ?? this.head(stream).course });
    for (const { stream, events } of parts) for (const rootId of deletedIn(stream, events)) this.#heads.delete(rootId);
  }
}

const deletes = (parts: readonly StreamPart[], stream: string): boolean =>
  parts.some((part) => deletedIn(part.stream, part.events).some((rootId) => rootId === stream));

class Run {
  readonly story = new Story();
  readonly disk: CrashDisk;
  isPower = true;
  #store: FileStore | undefined;
  #pid = 100;

  constructor(seed: number) {
    this.disk = new CrashDisk(lottery(seed));
    this.disk.mount().makeFolder(DIR);
    this.disk.settle();
  }

  get store(): FileStore {
    if (!this.#store) throw new Error("not open");
    return this.#store;
  }

  /** A new process opens the project, and finds what the story says. */
  async open(): Promise<void> {
    const pid = (this.#pid += 1);
    const processes: Processes = { pid, host: "here", startOf: (asked) => (asked === pid ? "now" : undefined) };
    this.#store = await openFileStore(DIR, { disk: this.disk.mount(), processes, slotBytes: 4096, compactAt: 2048, isBackground: false });
    await this.check();
  }

  async check(): Promise<void> {
    const { pos } = this.store.health();
    expect(pos).toBeGreaterThanOrEqual(this.story.acknowledged());
    expect(pos).toBeLessThanOrEqual(this.story.commits.length);
    this.story.settle(pos);
    for (const stream of [PROJECT_STREAM, ...Array.from({ length: TREES + COPIES }, (_, n) => treeId(n + 1))] as const) {
      const lines = await this.store.read(stream, 0);
      expect(lines.map((line) => JSON.stringify(line.events))).toEqual(this.story.lines(stream));
      const opened = await this.store.open(stream, 1);
      const after = opened?.lines ?? [];
      expect((opened?.base?.seq ?? 0) + after.flatMap((line) => line.events).length).toBe(this.story.head(stream).seq);
      if (opened?.base) expect(opened.base.state).toEqual({ at: opened.base.seq });
    }
    const entries = this.story.entries();
    expect(this.store.list()).toEqual([...entries.values()].sort((a, b) => (a.rootId < b.rootId ? 1 : -1)));
    expect(this.store.hot()).toEqual(
      this.store
        .list()
        .filter((entry) => entry.hot)
        .map((entry) => entry.rootId),
    );
    expect(this.store.health().notices.filter((notice) => notice.includes("damaged"))).toEqual([]);
  }

  async commit(plans: readonly Planned[]): Promise<void> {
    const underWay = plans.map((plan) => {
      const parts = this.#parts(plan);
      const commit = this.story.add(parts);
      return this.store.commit(parts, 0).then(() => (commit.isAcknowledged = true));
    });
    await Promise.all(underWay);
  }

  async copy(tree: number, isContinued: boolean): Promise<void> {
    const rootId = treeId(tree);
    if (this.story.head(rootId).seq > 0)
      return this.commit([{ trees: [tree], isProject: false, size: 9, status: "completed", isNewCourse: false }]);
    const past = samplePast(rootId);
    const kept = samplePast(rootId);
    const { seq } = await this.store.stage(rootId, past);
    const texts: string[] = [];
    for await (const lines of kept.lines) texts.push(...lines.map(({ line }) => JSON.stringify(line.events)));
    this.story.pasts.set(rootId, texts);
    if (!isContinued) return;
    const part = saying(rootId, seq, [], { events: [copyOf(rootId, treeId(1))], course: 2 });
    const commit = this.story.add([part]);
    await this.store.commit([part], 0).then(() => (commit.isAcknowledged = true));
  }

  async delete(tree: number): Promise<void> {
    const rootId = treeId(tree);
    if (this.story.head(rootId).seq === 0) return;
    const { seq } = this.story.head(PROJECT_STREAM);
    const part: StreamPart = { stream: PROJECT_STREAM, expected: seq, events: [{ type: "tree.deleted", rootId, by: "anna" }] };
    const commit = this.story.add([part]);
    await this.store.commit([part], 0).then(() => (commit.isAcknowledged = true));
    expect(this.store.has(rootId)).toBe(false);
  }

  #parts({ trees, isProject, size, status, isNewCourse }: Planned): StreamPart[] {
    const parts = trees.map((n): StreamPart => {
      const rootId = treeId(n);
      const { seq, course } = this.story.head(rootId);
      const next = isNewCourse && seq > 0 ? course + 1 : course;
      return {
        stream: rootId,
        expected: seq,
        events: [said(rootId, `${seq + 1} `.padEnd(size, "x"), next)],
        entry: entryFor(rootId, { status, hot: size % 2 === 0, title: `at ${seq + 1}` }),
        course: next,
        checkpoint: () => snapshotAt(seq),
      };
    });
    const { seq } = this.story.head(PROJECT_STREAM);
    return isProject ? [...parts, { stream: PROJECT_STREAM, expected: seq, events: [made(treeId(trees[0] ?? 1))] }] : parts;
  }

  async play(step: Step): Promise<void> {
    switch (step.do) {
      case "commit":
        return this.commit(step.commits);
      case "flush":
        return this.store.flush();
      case "checkpoint":
        return this.store.checkpoint();
      case "snapshot": {
        const { seq } = this.story.head(treeId(step.tree));
        return this.store.saveSnapshot(treeId(step.tree), snapshotAt(seq));
      }
      case "copy":
        return this.copy(step.tree, step.isContinued);
      case "delete":
        return this.delete(step.tree);
      case "reopen":
        await this.store.close();
        return this.open();
      case "kill":
        this.disk.kill();
        return this.open();
      case "crash":
        this.disk.crash();
        return this.open();
      case "doom":
        this.disk.writesLeft = step.writes;
        this.isPower = step.isPower;
    }
  }
}

/** A few seeds are enough to vary what the crash loses. */
function lottery(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Undefined if the power failed meanwhile: then no call returns. */
async function untilDoom(run: Run, work: Promise<void>): Promise<boolean> {
  let isOver = false;
  let failure: unknown;
  work.then(
    () => (isOver = true),
    (error: unknown) => {
      isOver = true;
      failure = error;
    },
  );
  while (!isOver && run.disk.writesLeft > 0) await new Promise((resolve) => setImmediate(resolve));
  if (run.disk.writesLeft <= 0) return false;
  if (failure) throw failure;
  return true;
}

test("[L50] after any operations and a power cut anywhere, everything acknowledged is there, and the rest is a prefix", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 30 }), fc.integer(), async (steps, seed) => {
      const run = new Run(seed);
      await run.open();
      for (const one of [...steps, { do: "reopen" } as const]) {
        let isThrough = await untilDoom(run, run.play(one));
        while (!isThrough) {
          if (run.isPower) run.disk.crash();
          else run.disk.kill();
          isThrough = await untilDoom(run, run.open());
        }
      }
    }),
    {
      numRuns: Number(process.env["COLLOQUY_RUNS"] ?? 150),
      ...(process.env["COLLOQUY_REPLAY"] ? (JSON.parse(process.env["COLLOQUY_REPLAY"]) as object) : {}),
    },
  );
});
