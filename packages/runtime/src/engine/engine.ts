import { completions, decideDayQuestion } from "@colloquy/core";
import { type CallId, type Line, mainDialogOf, PROJECT_STREAM, type RootId, runKey, type TreeEvent } from "@colloquy/schema";
import { deletedIn } from "@colloquy/store";
import { GrantedApprovals } from "../calls/granted-approvals.ts";
import { KeptLayers } from "../calls/kept-layers.ts";
import type { RunningCall } from "../calls/running-call.ts";
import { touched } from "../calls/touched.ts";
import { Retention } from "../deletion/retention.ts";
import { DocumentWriter } from "../documents/document-writer.ts";
import { Projector } from "../documents/projector.ts";
import { Asides } from "../step/asides.ts";
import { newSummary } from "../step/new-summary.ts";
import { SharedQuestions } from "../team/shared-questions.ts";
import { TaskDesk } from "../team/task-desk.ts";
import { DayGate } from "../watch/day-gate.ts";
import { Listeners, type LiveEvent } from "../watch/live.ts";
import { LiveRoster } from "../watch/live-roster.ts";
import { Notices } from "../watch/notices.ts";
import { Pauses } from "../watch/pauses.ts";
import { ProjectStream } from "../watch/project-stream.ts";
import { TreeWatch } from "../watch/tree-watch.ts";
import { abortPointless } from "./abort.ts";
import { Commands } from "./commands.ts";
import { type CommittedEvents, type Desk, makeTree } from "./commit.ts";
import type { Deps } from "./deps.ts";
import { Driver } from "./driver.ts";
import { Lanes } from "./lane.ts";
import type { LiveTree } from "./live-tree.ts";
import { mayDrive, type ProjectContext } from "./project-context.ts";
import { Recovery } from "./recovery.ts";
import { Rulebook } from "./rulebook.ts";
import { Trees } from "./trees.ts";
import { Writer } from "./writer.ts";

/** How long running tools may take to end at a clean shutdown. */
const GRACE_MS = 3_000;
/** How often a closing node looks which tools have ended. */
const HAND_OVER_MS = 50;

/** An open project: creates the parts, tells them what was committed, and closes them. */
export class Engine implements ProjectContext {
  readonly deps: Deps;
  readonly rulebook: Rulebook;
  readonly trees: Trees;
  readonly writer: Writer;
  /** Model output while it is streamed. */
  readonly live: Listeners<LiveEvent>;
  readonly commands: Commands;
  readonly driver: Driver;
  readonly recovery: Recovery;
  readonly watch: TreeWatch;
  readonly retention: Retention;
  readonly documents: DocumentWriter;
  readonly tasks: TaskDesk;
  readonly notices: Notices;
  readonly dayGate: DayGate;
  readonly #shared: SharedQuestions;
  readonly #granted: GrantedApprovals;
  readonly #layers: KeptLayers;
  readonly #calls = new Map<CallId, RunningCall>();
  readonly #closing = new AbortController();
  readonly #asides: Asides;
  readonly #project: ProjectStream;
  readonly #projector: Projector;
  #dialogsCompleted = 0;
  #sideDialogsCompleted = 0;

  private constructor(deps: Deps, drives: boolean, drivesAll: boolean) {
    const project = new ProjectStream(deps.store, deps.clock);
    const roster = new LiveRoster(deps.team);
    const lanes = new Lanes(() => deps.team().limits.concurrency);
    this.deps = deps;
    this.#project = project;
    this.live = new Listeners((error) => deps.report(error, "a listener"));
    this.rulebook = new Rulebook(deps, project, roster);
    this.trees = new Trees(deps.store, roster.placeOf, deps.report);
    const desk: Desk = { deps, trees: this.trees, project, onCommitted: (tree, committed) => this.#committed(tree, committed) };
    this.writer = new Writer(desk, this.rulebook, this.closing);
    this.notices = new Notices(project);
    this.dayGate = this.#openDayGate();
    this.documents = new DocumentWriter(this);
    this.#shared = new SharedQuestions(this);
    this.#granted = new GrantedApprovals(this);
    this.#layers = new KeptLayers(this);
    const { dayGate, documents } = this;
    const [shared, granted, layers] = [this.#shared, this.#granted, this.#layers];
    const asides = new Asides({ ...this.#context(), lanes, dayGate }, drives, (rootId) => this.#asideOver(rootId));
    this.#asides = asides;
    const sharedByRuns = { lanes, pauses: new Pauses(deps.clock), live: this.live, calls: this.#calls, documents, drivesAll };
    this.driver = new Driver(this, sharedByRuns, { dayGate, asides, drives });
    this.recovery = new Recovery(this, { project, driver: this.driver, documents, layers, shared, granted });
    this.commands = new Commands(this, { desk, driver: this.driver, asides, granted, layers });
    this.retention = new Retention(this, this.commands);
    this.watch = new TreeWatch(this, { project, dayGate, drives });
    this.tasks = new TaskDesk(this, {
      project,
      documents,
      makeTree: (rootId, taking) => makeTree(desk, rootId, taking),
      endWork: (rootId, by) => this.commands.endWork(rootId, mainDialogOf(rootId), by),
    });
    this.#projector = new Projector(deps.store, deps.clock, { see: (rootId) => this.trees.peek(rootId), report: deps.report });
  }

  /** `drives: false` for a process that only asks and answers. */
  static async open(
    deps: Deps,
    { drives = true, drivesAll = drives }: { readonly drives?: boolean; readonly drivesAll?: boolean } = {},
  ): Promise<Engine> {
    const engine = new Engine(deps, drives, drivesAll);
    await engine.#project.load();
    engine.#joinOthers();
    return engine;
  }

  /** Main and side dialogs completed since the project was opened. */
  get dialogsCompleted(): number {
    return this.#dialogsCompleted;
  }

  get sideDialogsCompleted(): number {
    return this.#sideDialogsCompleted;
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** After a crash the files for people may be behind the log. */
  catchUp(): Promise<void> {
    return this.#projector.catchUp(this.deps.store.recovered());
  }

  /** Rewrites all files for people of a tree, whatever was written before. */
  async rewriteFiles(rootId: RootId): Promise<void> {
    await this.trees.look(rootId, () => this.#projector.renew(rootId));
  }

  /** Accepts no new work, aborts model calls, gives tools a grace period, and brings the files for people up to date. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("closing"));
    const idle = this.driver.close();
    this.trees.abortFlights((flight) => flight.tools.size === 0);
    const handedOver = this.#handOver(idle);
    const grace = new AbortController();
    const overtime = this.deps.clock.sleep(GRACE_MS, grace.signal).then(
      () => this.trees.abortFlights(() => true),
      () => undefined,
    );
    await idle;
    await handedOver;
    await this.#asides.over();
    await this.#shared.over();
    await this.#granted.over();
    await this.#layers.over();
    grace.abort();
    await overtime;
    // Calls that wait for a person end; their questions stay open.
    for (const call of this.#calls.values()) call.abort();
    this.watch.close();
    await this.trees.saveSnapshots();
    await this.#project.saveSnapshot(this.deps.clock.now());
    // A command may still have been committing: the files for people must show it.
    do {
      await this.trees.whenDurable();
      await this.#projector.close();
    } while (this.#projector.isBehind || !this.trees.areDurable);
    await this.deps.store.close({ asCrashed: this.recovery.isUnfinished });
  }

  /** Hands each tree to the other nodes as soon as none of its tools runs here. */
  async #handOver(idle: Promise<void>): Promise<void> {
    const { store, clock } = this.deps;
    const { cluster } = store;
    if (!cluster) return;
    const left = new Set(store.hot().filter((rootId) => cluster.owns(rootId)));
    let isIdle = false;
    const ended = idle.then(() => (isIdle = true));
    for (let isLast = false; !isLast;) {
      isLast = isIdle;
      const resting = [...left].filter((rootId) => isLast || !this.trees.hasTools(rootId));
      for (const rootId of resting) left.delete(rootId);
      await cluster.handOver(resting);
      if (isLast || left.size === 0) return;
      const waiting = new AbortController();
      await Promise.race([ended, clock.sleep(HAND_OVER_MS, waiting.signal).catch(() => undefined)]); // aborted below
      waiting.abort();
    }
  }

  #context(): ProjectContext {
    const { deps, rulebook, trees, writer, closing } = this;
    return { deps, rulebook, trees, writer, closing };
  }

  #openDayGate(): DayGate {
    const day = () => this.#project.state.day;
    return new DayGate(this.deps.clock, {
      day,
      costPerDay: () => this.deps.team().limits.costPerDay,
      ask: (ref) => {
        const question = this.rulebook.idIn(ref.rootId);
        return this.writer.record(ref.rootId, (tree) => decideDayQuestion(tree, { ...ref, question }, day(), this.rulebook.rules()));
      },
      wake: (ref) => this.driver.wake(ref),
    });
  }

  #asideOver(rootId: RootId): void {
    this.trees.look(rootId, (tree) => this.driver.rested(tree)).catch(() => undefined); // an unreadable tree is reported when it is needed
  }

  /** If several nodes share the store: follows their commits, and drives the trees that this node owns. */
  #joinOthers(): void {
    const { store, report } = this.deps;
    const failed = (error: unknown) => this.closing.aborted || report(error, "what another node committed");
    store.watch(({ lines, isForeign }) => {
      if (isForeign)
        for (const { stream, line } of lines) if (stream !== PROJECT_STREAM) this.#follow(stream as RootId, line).catch(failed);
    });
    store.watch(({ lines }) => {
      for (const { stream, line } of lines) for (const rootId of deletedIn(stream, line.events)) this.#forget(rootId);
    });
    store.cluster?.listen({
      claimed: (rootIds, isInterrupted) => void this.recovery.takeUpTrees(rootIds, isInterrupted),
      lost: (rootIds) => this.#letGo(rootIds),
      died: () => this.recovery.finishForOthers(),
    });
  }

  /** A tree was deleted, here or by another node. */
  #forget(rootId: RootId): void {
    this.trees.forget(rootId);
    this.watch.indexed(rootId);
  }

  async #follow(rootId: RootId, line: Line): Promise<void> {
    const found = await this.trees.follow(rootId, line);
    if (!found) {
      this.watch.indexed(rootId);
      if (mayDrive(this, rootId) && this.deps.store.entry(rootId)?.hot) await this.recovery.takeUpTrees([rootId], false);
      return;
    }
    const { tree, committed } = found;
    for (const event of committed.events) abortPointless(tree, event, this.#calls);
    if (committed.events.some(({ type }) => type === "question.closed")) this.dayGate.release();
    this.#moved(committed);
    this.driver.rested(tree);
  }

  /** These trees belong to other nodes now: aborts the work in progress here, which they redo. */
  #letGo(rootIds: readonly RootId[]): void {
    const lost = new Set(rootIds);
    this.trees.abortFlights((_, tree) => lost.has(tree.rootId));
  }

  /** Wakes the runs that the events made ready, and schedules their deadlines. */
  #moved({ events, after }: Pick<CommittedEvents, "events" | "after">): void {
    this.watch.committed(events, after);
    // Events added since may never become durable, so a run that these events made ready is woken in any case.
    for (const ref of touched(after, events)) if (after.ready.has(runKey(ref.dialog, ref.agent))) this.driver.wake(ref);
  }

  #committed(tree: LiveTree, { events, before, after }: CommittedEvents): void {
    for (const event of events) abortPointless(tree, event, this.#calls);
    if (events.some((event) => event.type === "question.closed" && before.questions.get(event.question)?.limit === "costPerDay"))
      this.dayGate.release();
    this.#moved({ events, after });
    this.#shared.committed({ events, after });
    this.#granted.committed({ events, after });
    this.#layers.committed({ events, before });
    const completed = completions(before, after, events);
    this.#dialogsCompleted += completed.all;
    this.#sideDialogsCompleted += completed.side;
    if (this.deps.team().titleRunner && endsMainTurn(tree.rootId, events)) this.#asides.begin(tree.rootId, newSummary);
    // All of a copy is new to the files for people.
    if (events[0]?.type === "dialog.copied") this.#projector.renew(tree.rootId);
    else this.#projector.note(after, before);
    this.driver.rested(tree);
  }
}

const endsMainTurn = (rootId: RootId, events: readonly TreeEvent[]): boolean =>
  events.some((event) => event.type === "step.ended" && event.ends === true && event.dialog === mainDialogOf(rootId));
