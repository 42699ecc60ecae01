import { applyAll, decide, type Decision, decideCreation, decideHalt, emptyTree, type NameOf, runKey, type Texts, texts, type Tree } from "@colloquy/core";
import {
  type AgentId,
  type Command,
  type Creation,
  type DialogId,
  Fault,
  type Refusal,
  RootId,
  shortId,
  type StopCode,
  type TreeEvent,
} from "@colloquy/schema";
import { commit, type Outcome, treePart } from "./commit.ts";
import { Coordinator } from "./coordinator.ts";
import { Crossing } from "./crossing.ts";
import type { Deps } from "./deps.ts";
import { drain } from "./drain.ts";
import { Lane } from "./lane.ts";
import { Listeners, type LiveEvent, type SegmentEvent } from "./live.ts";
import { LiveTree } from "./live-tree.ts";
import { Pauses } from "./pauses.ts";
import { ProjectStream } from "./project-stream.ts";
import { Projector } from "./projector.ts";
import { refKey, refOf, type RunRef } from "./run-ref.ts";
import { Trees } from "./trees.ts";

export type Created = { readonly ok: true; readonly rootId: RootId; readonly seq: number } | { readonly ok: false; readonly refusal: Refusal };

/** How long running tools may take to end by themselves at a clean stop. */
const GRACE_MS = 3_000;

/** With a full disk nothing new is accepted; what has happened already is recorded as soon as there is room. */
const FULL_DISK_PAUSE_MS = 1_000;

/** Holds a project in motion: takes commands, drives what may be driven, tells who listens. */
export class Engine {
  readonly deps: Deps;
  readonly live = new Listeners<LiveEvent>();
  readonly crossing = new Crossing();
  readonly pauses: Pauses;
  /** Runs whose next step a crash had interrupted. */
  readonly interrupted = new Set<string>();
  readonly #closing = new AbortController();
  readonly #trees: Trees;
  readonly #project: ProjectStream;
  readonly #projector: Projector;
  readonly #coordinator: Coordinator;
  readonly #lanes = new Map<string, Lane>();
  readonly #drives: boolean;
  #quietWaiters: { readonly rootId: RootId; readonly go: () => void }[] = [];

  private constructor(deps: Deps, drives: boolean) {
    this.deps = deps;
    this.#drives = drives;
    this.pauses = new Pauses(deps.clock);
    this.#trees = new Trees(deps.store, deps.report);
    this.#project = new ProjectStream(deps.store);
    this.#projector = new Projector(deps.store, deps.clock);
    this.#coordinator = new Coordinator(
      (key) => this.#drive(refOf(key)),
      (key) => void this.#rested(refOf(key).rootId),
    );
  }

  /** `drives: false` for a process that only asks and answers. */
  static async open(deps: Deps, { drives = true } = {}): Promise<Engine> {
    const engine = new Engine(deps, drives);
    await engine.#project.load();
    return engine;
  }

  get isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  texts(): Texts {
    return texts[this.deps.team().language];
  }

  readonly nameOf: NameOf = (agent) => this.deps.team().member(agent)?.name ?? agent;

  /** A new tree with its first message. The same `msgId` again gives the same tree. */
  async create(creation: Creation, agent: AgentId): Promise<Created> {
    const rootId = RootId.parse(this.deps.newId());
    const decision = decideCreation(this.#project.state, creation, { rootId, agent });
    if (decision.kind === "refused") return { ok: false, refusal: decision.refusal };
    if (decision.kind === "known") {
      await this.#project.settled;
      return { ok: true, rootId: decision.rootId, seq: decision.seq };
    }
    const at = this.deps.clock.now();
    const before = emptyTree(rootId);
    const after = applyAll(before, decision.tree, at);
    const committed = this.deps.store.commit([this.#project.part(decision.project), treePart(before, after, decision.tree)], at);
    this.#project.advance(decision.project, at, committed);
    const tree = new LiveTree(rootId, before, 0);
    tree.advance(after, decision.tree, committed);
    this.#trees.add(tree);
    try {
      await committed;
      this.#committed(tree, decision.tree);
      return { ok: true, rootId, seq: decision.seq };
    } catch (error) {
      this.#trees.drop(rootId);
      await this.#project.load();
      if (error instanceof Fault && error.code === "log_conflict") return this.create(creation, agent);
      throw error;
    } finally {
      this.#trees.release(tree);
    }
  }

  async command(rootId: RootId, command: Command): Promise<Outcome> {
    if (command.type === "done" || command.type === "archive") await this.#endWork(rootId, command.dialog, command.by);
    const outcome = await this.commit(rootId, (tree) => decide(tree, command));
    if (outcome.ok && command.type === "stop") await this.#abortFlights(rootId, command.dialog);
    return outcome;
  }

  commit(rootId: RootId, choose: (tree: Tree) => Decision<TreeEvent>): Promise<Outcome> {
    return commit(this.deps, this.#trees, rootId, choose, (tree, events) => this.#committed(tree, events));
  }

  /** A commit of what has happened already: it waits for room on a full disk instead of giving up. */
  async record(rootId: RootId, choose: (tree: Tree) => Decision<TreeEvent>): Promise<Outcome> {
    for (;;) {
      try {
        return await this.commit(rootId, choose);
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== "log_full" || this.isClosing) throw error;
        this.deps.report(error, `dialog ${shortId(rootId)}`);
        await this.deps.clock.sleep(FULL_DISK_PAUSE_MS, this.#closing.signal);
      }
    }
  }

  /** Looks at a tree; what it shows is durable. */
  async look<T>(rootId: RootId, see: (tree: LiveTree) => T): Promise<T | undefined> {
    const tree = await this.#trees.hold(rootId);
    if (!tree) return undefined;
    try {
      await tree.settled;
      return see(tree);
    } finally {
      this.#trees.release(tree);
    }
  }

  /** A dialog stands still until a person resumes it. */
  async halt(ref: RunRef, code: StopCode, message: string): Promise<void> {
    await this.record(ref.rootId, (tree) => decideHalt(tree, ref.dialog, { code, message }));
  }

  wake(ref: RunRef): void {
    if (this.#drives) this.#coordinator.wake(refKey(ref));
  }

  /** Takes up what was left in the middle of something: in one tree, or in all. */
  async takeUp(only?: RootId): Promise<void> {
    for (const rootId of only ? [only] : this.deps.store.hot()) {
      await this.look(rootId, (tree) => {
        for (const key of tree.state.ready.keys()) {
          const ref = refOf(`${rootId}/${key}`);
          if (this.deps.store.crashed && !this.#coordinator.isRunning(refKey(ref))) this.interrupted.add(refKey(ref));
          this.wake(ref);
        }
      }).catch((error: unknown) => this.deps.report(error, `dialog ${shortId(rootId)}`));
    }
  }

  /** After a crash the files for people may be behind the log. */
  async catchUp(): Promise<void> {
    for (const rootId of this.deps.store.recovered()) await this.look(rootId, (tree) => this.#projector.note(tree.state));
  }

  /** Resolves when no turn of the tree may step and none is in flight. A pause between two attempts is not quiet. */
  async quiet(rootId: RootId): Promise<void> {
    if (await this.#isQuiet(rootId)) return;
    await new Promise<void>((go) => this.#quietWaiters.push({ rootId, go }));
  }

  lane(name: string): Lane {
    const known = this.#lanes.get(name);
    if (known) return known;
    const lane = new Lane(this.deps.team().limits.concurrency);
    this.#lanes.set(name, lane);
    return lane;
  }

  tell(tree: LiveTree, ref: RunRef, event: SegmentEvent, genseq: number): void {
    if (this.live.size === 0) return;
    const course = tree.state.dialogs.get(ref.dialog)?.course ?? 1;
    this.live.tell({ ...event, dialog: { rootId: ref.rootId, selfId: ref.dialog }, agent: ref.agent, course, genseq });
  }

  /** No new work; model calls are aborted, tools get a moment; files for people are brought up to date. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("closing"));
    const idle = this.#coordinator.close();
    this.#trees.abortFlights((flight) => flight.tool === undefined);
    await Promise.race([idle, this.deps.clock.sleep(GRACE_MS, new AbortController().signal)]);
    this.#trees.abortFlights(() => true);
    await idle;
    this.#projector.close();
    await this.#trees.saveSnapshots();
    await this.#project.saveSnapshot(this.deps.clock.now());
    await this.deps.store.close();
  }

  #committed(tree: LiveTree, events: readonly TreeEvent[]): void {
    const isHeard = events.some((event) => event.type === "message.added");
    for (const ref of touched(tree, events)) {
      const key = runKey(ref.dialog, ref.agent);
      if (isHeard) tree.flights.get(key)?.pause?.abort();
      if (tree.state.ready.has(key)) this.wake(ref);
    }
    this.#projector.note(tree.state);
    if (this.#quietWaiters.length > 0 && tree.state.ready.size === 0) void this.#rested(tree.rootId);
  }

  async #drive(ref: RunRef): Promise<void> {
    const tree = await this.#trees.hold(ref.rootId).catch((error: unknown) => this.deps.report(error, `dialog ${shortId(ref.dialog)}`));
    if (!tree) return;
    try {
      await drain(this, tree, ref);
    } catch (error) {
      if (this.isClosing) return;
      this.deps.report(error, `dialog ${shortId(ref.dialog)}`);
      if (!(error instanceof Fault)) await this.#quarantine(ref, error);
    } finally {
      this.#trees.release(tree);
    }
  }

  /** We failed: that one dialog stands still and says so, the others go on. */
  async #quarantine(ref: RunRef, error: unknown): Promise<void> {
    const what = error instanceof Error ? error.message : String(error);
    const id = shortId(ref.dialog);
    const message = `Something went wrong inside Colloquy: ${what}. Dialog ${id} is stopped; nothing was lost. Try: colloquy resume ${id}`;
    await this.halt(ref, "bug", message).catch((failure: unknown) => this.deps.report(failure, `dialog ${id}`));
  }

  async #rested(rootId: RootId): Promise<void> {
    const waiting = this.#quietWaiters.filter((waiter) => waiter.rootId === rootId);
    if (waiting.length === 0 || !(await this.#isQuiet(rootId))) return;
    this.#quietWaiters = this.#quietWaiters.filter((waiter) => !waiting.includes(waiter));
    for (const { go } of waiting) go();
  }

  async #isQuiet(rootId: RootId): Promise<boolean> {
    const isBusy = await this.look(rootId, (tree) => {
      const isReady = tree.state.ready.size > 0 && this.#drives && !this.isClosing;
      return isReady || [...tree.state.runs.keys()].some((key) => this.#coordinator.isRunning(`${rootId}/${key}`));
    });
    return !isBusy;
  }

  /** What is running ends before a dialog is closed, so that its results are in the log. */
  async #endWork(rootId: RootId, dialog: DialogId, by: string): Promise<void> {
    const isAtWork = await this.look(rootId, (tree) => flightsOf(tree, dialog).length > 0);
    if (!isAtWork) return;
    await this.commit(rootId, (tree) => decide(tree, { type: "stop", dialog, by }));
    await this.#abortFlights(rootId, dialog);
  }

  async #abortFlights(rootId: RootId, dialog: DialogId): Promise<void> {
    await this.look(rootId, (tree) => {
      for (const flight of flightsOf(tree, dialog)) flight.abort.abort(new Error("stopped"));
    });
    await this.quiet(rootId);
  }
}

const flightsOf = (tree: LiveTree, dialog: DialogId) => [...tree.flights].filter(([key]) => key.startsWith(`${dialog}/`)).map(([, flight]) => flight);

/** The runs that a commit may have set in motion. */
function touched(tree: LiveTree, events: readonly TreeEvent[]): readonly RunRef[] {
  const { rootId } = tree;
  return events.flatMap((event): RunRef[] => {
    const { dialog } = event;
    if (event.type === "message.added") return event.to.map((agent) => ({ rootId, dialog, agent }));
    if ("agent" in event) return [{ rootId, dialog, agent: event.agent }];
    return (tree.state.dialogs.get(dialog)?.agents ?? []).map((agent) => ({ rootId, dialog, agent }));
  });
}
