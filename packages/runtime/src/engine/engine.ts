import {
  completions,
  decide,
  decideCreation,
  decideDayQuestion,
  decideExpiry,
  decideLift,
  decideRevocation,
  refuseUsed,
  type SignedCommand,
  nextDeadline,
  openLimits,
  refuseTooLarge,
  runKey,
} from "@colloquy/core";
import {
  type AgentId,
  type CallId,
  type Command,
  type Creation,
  type DialogId,
  Fault,
  type Image,
  mainDialogOf,
  type Refusal,
  RootId,
  shortId,
  type TreeEvent,
} from "@colloquy/schema";
import { abortPointless } from "./abort.ts";
import { Asides } from "../step/asides.ts";
import { mayReplyForBusy, replyForBusy } from "../step/busy-reply.ts";
import { type CommittedEvents, type Desk, makeTree, type Outcome } from "./commit.ts";
import { Coordinator } from "./coordinator.ts";
import { Crossing } from "./crossing.ts";
import { Deadlines } from "../watch/deadlines.ts";
import { DayGate } from "../watch/day-gate.ts";
import { type Deps, FULL_DISK_PAUSE_MS } from "./deps.ts";
import { type Documents, linkedDocument } from "../documents/documents.ts";
import { drain } from "./drain.ts";
import { Lane } from "./lane.ts";
import { KeptLayers } from "../calls/kept-layers.ts";
import { LimitWatch } from "../watch/limit-watch.ts";
import { LiveRoster } from "../watch/live-roster.ts";
import { Listeners, type LiveEvent, type SegmentEvent } from "../watch/live.ts";
import type { LiveTree } from "./live-tree.ts";
import { newSummary } from "../step/new-summary.ts";
import { newTitle } from "../step/new-title.ts";
import { Notices } from "../watch/notices.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { Pauses } from "../watch/pauses.ts";
import { ProjectStream } from "../watch/project-stream.ts";
import { Projector } from "../documents/projector.ts";
import { QuietWaiters } from "../watch/quiet-waiters.ts";
import { refuseUnfit } from "../step/refuse-unfit.ts";
import type { RunningCall } from "../calls/running-call.ts";
import { refKey, refOf, type RunRef } from "./run-ref.ts";
import { Rulebook } from "./rulebook.ts";
import { Writer } from "./writer.ts";
import { DocumentWriter } from "../documents/document-writer.ts";
import { GrantedApprovals } from "../calls/granted-approvals.ts";
import { letGoOfLostTrees } from "./lost-trees.ts";
import { SharedQuestions } from "../team/shared-questions.ts";
import { TaskDesk } from "../team/task-desk.ts";
import { touched } from "../calls/touched.ts";
import { Trees } from "./trees.ts";

/** An image and what is in it. */
export interface Picture {
  readonly image: Image;
  readonly data: Uint8Array;
}

export type Created =
  | { readonly ok: true; readonly rootId: RootId; readonly seq: number }
  | { readonly ok: false; readonly refusal: Refusal };

/** How long running tools may take to end by themselves at a clean stop. */
const GRACE_MS = 3_000;

/** Runs a project: takes commands, drives the runs that are ready, tells listeners. Decisions ask the rulebook; the writer commits. */
export class Engine {
  readonly deps: Deps;
  readonly live: Listeners<LiveEvent>;
  readonly roster: LiveRoster;
  readonly rulebook: Rulebook;
  readonly writer: Writer;
  readonly crossing = new Crossing();
  /** Changes to a document are exclusive, from the first read to the last write. */
  readonly documents = new OneAtATime();
  readonly settler = new DocumentWriter(this);
  readonly #shared = new SharedQuestions(this);
  #hasLookedForLost = false;
  readonly #granted = new GrantedApprovals(this);
  readonly #layers = new KeptLayers(this);
  readonly pauses: Pauses;
  /** Runs that a fault of the store has ended: nobody is at work on them until something wakes them. */
  readonly #givenUp = new Set<string>();
  /** Trees that were left in the middle of something and are at work again. */
  readonly #takenUp = new Set<RootId>();
  /** Runs whose next step a crash had interrupted. */
  readonly interrupted = new Set<string>();
  /** Calls that are at work, or wait for a person to answer their tool. */
  readonly calls = new Map<CallId, RunningCall>();
  readonly #closing = new AbortController();
  readonly #asides = new Asides((rootId) => void this.look(rootId, (tree) => this.#quietWaiters.rested(tree)).catch(() => undefined));
  readonly tasks: TaskDesk;
  readonly notices: Notices;
  readonly #trees: Trees;
  readonly #project: ProjectStream;
  readonly #desk: Desk;
  readonly #projector: Projector;
  readonly #coordinator: Coordinator;
  readonly #deadlines: Deadlines;
  readonly dayGate: DayGate;
  #dialogsCompleted = 0;
  readonly #limits: LimitWatch;
  readonly #lanes = new Map<string, Lane>();
  readonly #drives: boolean;
  readonly #drivesAll: boolean;
  readonly #quietWaiters = new QuietWaiters((tree, onlyFlights) => this.#isQuiet(tree, onlyFlights));

  private constructor(deps: Deps, drives: boolean, drivesAll: boolean) {
    this.deps = deps;
    this.#drivesAll = drivesAll;
    this.#drives = drives;
    this.live = new Listeners((error) => deps.report(error, "a listener"));
    this.pauses = new Pauses(deps.clock);
    this.roster = new LiveRoster(deps.team);
    this.#trees = new Trees(deps.store, this.roster.placeOf, deps.report);
    this.#project = new ProjectStream(deps.store, deps.clock);
    this.notices = new Notices(this.#project);
    this.tasks = new TaskDesk(this, this.#project, {
      makeTree: (rootId, taking) => makeTree(this.#desk, rootId, taking),
      endWork: (rootId, by) => this.#endWork(rootId, mainDialogOf(rootId), by),
    });
    this.rulebook = new Rulebook(deps, this.#project, this.roster);
    this.#desk = {
      deps,
      trees: this.#trees,
      project: this.#project,
      onCommitted: (tree, committed) => this.#committed(tree, committed),
    };
    this.writer = new Writer(this.#desk, this.rulebook, this.closing);
    this.#projector = new Projector(deps.store, deps.clock, {
      see: (rootId) => this.#trees.peek(rootId),
      report: deps.report,
    });
    this.#deadlines = new Deadlines(deps.clock, (rootId) => void this.#expire(rootId));
    this.dayGate = new DayGate(deps.clock, {
      day: () => this.#project.state.day,
      costPerDay: () => deps.team().limits.costPerDay,
      ask: (ref) => {
        const id = this.rulebook.idIn(ref.rootId);
        return this.writer.record(ref.rootId, (tree) => decideDayQuestion(tree, ref, this.#project.state.day, id, this.rulebook.rules()));
      },
      wake: (ref) => this.wake(ref),
    });
    this.#limits = new LimitWatch(deps.clock, this.closing, {
      refresh: () => deps.refresh(),
      lift: (rootId) => this.#lift(rootId),
      report: (error, rootId) => deps.report(error, `dialog ${shortId(rootId)}`),
    });
    this.#coordinator = new Coordinator((key) => this.#drive(refOf(key)));
  }

  /** `drives: false` for a process that only asks and answers. */
  static async open(
    deps: Deps,
    { drives = true, drivesAll = drives }: { readonly drives?: boolean; readonly drivesAll?: boolean } = {},
  ): Promise<Engine> {
    const engine = new Engine(deps, drives, drivesAll);
    await engine.#project.load();
    return engine;
  }

  /** Main and side dialogs that were completed since it was opened. */
  get dialogsCompleted(): number {
    return this.#dialogsCompleted;
  }

  /** Aborted when no new work is taken up. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  get isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /** A new tree with its first message. The same `msgId` again gives the same tree. */
  async create(creation: Creation, agent: AgentId, pictures: readonly Picture[] = []): Promise<Created> {
    const rootId = RootId.parse(this.deps.newId());
    const choose = () => decideCreation(this.#project.state, creation, { rootId, agent, team: this.roster });
    const tooMuch = refuseTooLarge(creation.content, agent, this.rulebook.rules());
    const linked = refuseLinked(this.deps.documents, creation.taskDocPath);
    if (linked) return linked;
    // A picture is there before the message that shows it, and only for a dialog that is going to be.
    if (pictures.length > 0 && !tooMuch && choose().kind === "made")
      for (const { image, data } of pictures) await this.deps.store.putBlob(rootId, image.name, data);
    // Decided anew: meanwhile somebody may have sent the same.
    const decision = choose();
    if (decision.kind === "refused") return { ok: false, refusal: decision.refusal };
    if (decision.kind === "known") {
      await this.#project.settled;
      return { ok: true, rootId: decision.rootId, seq: decision.seq };
    }
    if (tooMuch) return tooMuch;
    try {
      await makeTree(this.#desk, rootId, decision);
      if (creation.title === undefined) this.#aside(rootId, (live) => newTitle(this, live, creation.content));
      return { ok: true, rootId, seq: decision.seq };
    } catch (error) {
      if (error instanceof Fault && error.code === "log_conflict") return this.create(creation, agent, pictures);
      throw error;
    }
  }

  async command(rootId: RootId, command: Command): Promise<Outcome> {
    const refusal = refuseUsed(this.#project.state, command) ?? (await refuseUnfit(this, rootId, command));
    if (refusal) return refusal;
    const isClosing = command.type === "done" || command.type === "archive" || command.type === "dead";
    if (isClosing || command.type === "clear_mind") {
      // What is refused, or was done before, waits for nothing.
      const first = await this.look(rootId, ({ state }) => decide(state, command, this.rulebook.rules()));
      if (first && (!first.ok || first.events.length === 0)) return first;
    }
    if (isClosing) await this.#endWork(rootId, command.dialog, command.by);
    const isLike = command.type === "approve" && command.scope !== undefined && command.scope !== "once";
    const heldParts = isLike ? await this.#granted.partsIn(rootId) : undefined;
    const choose = () => this.writer.commit(rootId, (tree, live) => decide(tree, command, { ...this.rulebook.rules(live), heldParts }));
    const outcome = command.type === "clear_mind" ? await this.#betweenSteps(rootId, command.dialog, choose) : await choose();
    if (outcome.ok && command.type === "undo") {
      const refused = await this.#layers.undo(rootId, command.call);
      if (refused) return { ok: false, refusal: refused };
    }
    if (outcome.ok && command.type === "stop") await this.quiet(rootId, { onlyFlights: true });
    if (outcome.ok && command.type === "send" && mayReplyForBusy(outcome.events, this.roster)) {
      this.#aside(rootId, (tree) => replyForBusy(this, tree, outcome.events, outcome.seq));
    }
    return outcome;
  }

  /** The step that is under way ends first, and no other begins before this is committed. */
  async #betweenSteps(rootId: RootId, dialog: DialogId, choose: () => Promise<Outcome>): Promise<Outcome> {
    const tree = await this.#trees.hold(rootId);
    if (!tree) return choose();
    try {
      return await tree.betweenSteps.between(dialog, choose);
    } finally {
      this.#trees.release(tree);
    }
  }

  #aside(rootId: RootId, ask: (tree: LiveTree) => Promise<void>): void {
    if (this.#drives && !this.isClosing) this.#asides.begin(rootId, () => this.#askAside(rootId, ask));
  }

  async #askAside(rootId: RootId, ask: (tree: LiveTree) => Promise<void>): Promise<void> {
    const tree = await this.#holdOrReport(rootId);
    if (!tree) return;
    try {
      await ask(tree);
    } catch (error) {
      if (!this.isClosing) this.deps.report(error, `dialog ${shortId(rootId)}`);
    } finally {
      this.#trees.release(tree);
    }
  }

  async revokeGrant(id: string, signed: SignedCommand): Promise<void> {
    await this.#project.decide((project) => decideRevocation(project, id, signed));
  }

  /** Looks at a tree; what it shows is durable. */
  async look<T>(rootId: RootId, see: (tree: LiveTree) => T): Promise<T | undefined> {
    const tree = await this.#trees.hold(rootId);
    if (!tree) return undefined;
    try {
      const isKept = await tree.settled.then(
        () => true,
        () => false,
      );
      if (isKept && tree.isDurable) return see(tree);
    } finally {
      this.#trees.release(tree);
    }
    // Somebody has just handed something in, which is waited for; or could not commit it: then that tree was dropped, and the next is the one on disk.
    return this.look(rootId, see);
  }

  /** A process that drives everything says so; one that only touched the tree leaves it to those who know the agent. */
  async agentGone(ref: RunRef): Promise<void> {
    if (this.#drivesAll) await this.writer.halt(ref, "agent_gone", this.rulebook.texts().agentGone(ref.agent));
    else throw new Fault("agent_unknown", "never", this.rulebook.texts().agentUnknown(ref.agent));
  }

  /** Decides about the project's own stream alone. */
  decideProject = (choose: Parameters<ProjectStream["decide"]>[0]): Promise<unknown> => this.#project.decide(choose);

  wake(ref: RunRef): void {
    this.#givenUp.delete(refKey(ref));
    if (this.#drives) this.#coordinator.wake(refKey(ref));
  }

  /** Takes up what was left in the middle of something: in one tree, or in all. */
  async takeUp(only?: RootId): Promise<void> {
    if (!this.#hasLookedForLost) {
      this.#hasLookedForLost = true;
      await letGoOfLostTrees(this);
      await this.#layers.takeUp();
    }
    this.#shared.takeUp();
    if (only === undefined) this.#granted.takeUp();
    for (const rootId of only ? [only] : this.deps.store.hot()) {
      this.#takenUp.add(rootId);
      await this.settler.settle(rootId).catch((error: unknown) => this.deps.report(error, `documents of ${shortId(rootId)}`));
      await this.#layers.takeUpUndos(rootId).catch((error: unknown) => this.deps.report(error, `dialog ${shortId(rootId)}`));
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
  catchUp(): Promise<void> {
    return this.#projector.catchUp(this.deps.store.recovered());
  }

  /** All files for people of a tree, whatever was written before. */
  async rewriteFiles(rootId: RootId): Promise<void> {
    await this.look(rootId, () => this.#projector.renew(rootId));
  }

  /** Trees whose deadlines pass while we run. */
  watchDeadlines(): void {
    for (const rootId of this.deps.store.timed()) this.#deadlines.set(rootId, this.deps.store.entry(rootId)?.due);
  }

  /** Trees in which a limit is asked about, as the index says; what the settings allow by now goes on. */
  async watchLimits(): Promise<void> {
    const { store } = this.deps;
    for (const rootId of store.asking()) if (store.entry(rootId)?.questions?.some(({ kind }) => kind === "limit")) this.#limits.add(rootId);
    await this.#limits.changed();
  }

  /** The settings have changed: limits may have room for what waits. */
  async limitsChanged(): Promise<void> {
    if (!this.#drives || this.isClosing) return;
    this.dayGate.release();
    await this.#limits.changed();
  }

  async #lift(rootId: RootId): Promise<boolean> {
    const outcome = await this.writer.record(rootId, (tree) => decideLift(tree, this.#project.state.day, this.rulebook.rules()));
    if (!outcome.ok) return false;
    return (await this.look(rootId, ({ state }) => openLimits(state).length > 0)) ?? false;
  }

  /**
   * Resolves when no turn of the tree may step and none is in flight. A pause between two attempts is not quiet.
   * `onlyFlights`: what may step next does not matter, only what is under way. False when the signal came first.
   */
  async quiet(
    rootId: RootId,
    { onlyFlights = false, signal }: { readonly onlyFlights?: boolean; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<boolean> {
    const waiting = await this.look(rootId, (tree) => this.#quietWaiters.wait(tree, onlyFlights, signal));
    return waiting ? waiting.over : true;
  }

  lane(name: string): Lane {
    const known = this.#lanes.get(name);
    if (known) return known;
    const lane = new Lane(() => this.deps.team().limits.concurrency);
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
    this.#trees.abortFlights((flight) => flight.tools.size === 0);
    const grace = new AbortController();
    const overtime = this.deps.clock.sleep(GRACE_MS, grace.signal).then(
      () => this.#trees.abortFlights(() => true),
      () => undefined,
    );
    await idle;
    await this.#asides.over();
    await this.#shared.over();
    await this.#granted.over();
    await this.#layers.over();
    grace.abort();
    await overtime;
    // Those that wait for a person; their questions stay.
    for (const call of this.calls.values()) call.abort();
    this.#deadlines.close();
    this.dayGate.close();
    await this.#trees.saveSnapshots();
    await this.#project.saveSnapshot(this.deps.clock.now());
    // A command may have been on its way: the files for people show it, too.
    do {
      await this.#trees.whenDurable();
      await this.#projector.close();
    } while (this.#projector.isBehind || !this.#trees.areDurable);
    const isUnfinished = this.deps.store.crashed && this.deps.store.hot().some((rootId) => !this.#takenUp.has(rootId));
    await this.deps.store.close({ asCrashed: isUnfinished });
  }

  #committed(tree: LiveTree, { events, before, after }: CommittedEvents): void {
    for (const event of events) abortPointless(tree, event, this.calls);
    if (events.some((event) => event.type === "question.closed" && before.questions.get(event.question)?.limit === "costPerDay"))
      this.dayGate.release();
    if (this.#drives && events.some((event) => event.type === "question.asked" && event.limit !== undefined)) this.#limits.add(tree.rootId);
    // What was handed in since may never become durable: nobody is left asleep on its account.
    for (const ref of touched(after, events)) if (after.ready.has(runKey(ref.dialog, ref.agent))) this.wake(ref);
    this.#shared.committed({ events, after });
    this.#granted.committed({ events, after });
    this.#layers.committed({ events, before });
    this.#dialogsCompleted += completions(before, after, events);
    if (this.deps.team().titleRunner && endsMainTurn(tree.rootId, events)) this.#aside(tree.rootId, (live) => newSummary(this, live));
    this.#deadlines.set(tree.rootId, nextDeadline(after));
    this.#projector.note(after, before);
    this.#quietWaiters.rested(tree);
  }

  async #expire(rootId: RootId): Promise<void> {
    try {
      const outcome = await this.writer.record(rootId, (tree) => decideExpiry(tree, this.rulebook.rules()));
      // Nothing is over after all: the clock was set back since it rang.
      if (outcome.ok && outcome.events.length === 0)
        await this.look(rootId, ({ state }) => this.#deadlines.set(rootId, nextDeadline(state)));
    } catch (error) {
      this.deps.report(error, `dialog ${shortId(rootId)}`);
    }
  }

  async #drive(ref: RunRef): Promise<void> {
    const tree = await this.#holdOrReport(ref.rootId);
    if (!tree) {
      this.#givenUp.add(refKey(ref));
      return;
    }
    tree.drains += 1;
    try {
      await drain(this, tree, ref);
    } catch (error) {
      if (this.isClosing) return;
      // Another's commit had to be made anew, on the tree as it is on disk: this one goes on there, too.
      if (error instanceof Fault && error.code === "log_conflict") return this.wake(ref);
      this.deps.report(error, `dialog ${shortId(ref.dialog)}`);
      if (error instanceof Fault) {
        this.#givenUp.add(refKey(ref));
        // Somebody's commit found no room, and this rested on it: work goes on by itself when there is some.
        if (error.code === "log_full") this.#wakeLater(ref);
      } else await this.#quarantine(ref, error);
    } finally {
      tree.drains -= 1;
      this.#quietWaiters.rested(tree);
      this.#trees.release(tree);
    }
  }

  /** Undefined when there is no such tree, or it cannot be read: the reason is reported, and other trees go on. */
  async #holdOrReport(rootId: RootId): Promise<LiveTree | undefined> {
    try {
      return await this.#trees.hold(rootId);
    } catch (error) {
      if (!this.isClosing) this.deps.report(error, `dialog ${shortId(rootId)}`);
      return undefined;
    }
  }

  /** Why a tree cannot be read, if that is known. */
  damageOf(rootId: RootId): string | undefined {
    return this.deps.store.damageOf(rootId);
  }

  #wakeLater(ref: RunRef): void {
    this.deps.clock.sleep(FULL_DISK_PAUSE_MS, this.closing).then(
      () => this.wake(ref),
      () => undefined,
    );
  }

  /** We failed: that one dialog stands still and says so, the others go on. */
  async #quarantine(ref: RunRef, error: unknown): Promise<void> {
    const what = error instanceof Error ? error.message : String(error);
    const id = shortId(ref.dialog);
    const message = `Something went wrong inside Colloquy: ${what}. Dialog ${id} is stopped; nothing was lost. Try: colloquy resume ${id}`;
    await this.writer.halt(ref, "bug", message).catch((failure: unknown) => this.deps.report(failure, `dialog ${id}`));
  }

  #isQuiet(tree: LiveTree, onlyFlights: boolean): boolean {
    if (onlyFlights) return ![...tree.flights.values()].some((flight) => flight.abort.signal.aborted);
    if (tree.drains > 0 || tree.flights.size > 0 || this.#asides.has(tree.rootId)) return false;
    if (!this.#drives || this.isClosing || tree.state.ready.size === 0) return true;
    return [...tree.state.ready.keys()].every(
      (key) => this.#givenUp.has(`${tree.rootId}/${key}`) || this.dayGate.holds(`${tree.rootId}/${key}`),
    );
  }

  /** What is running ends before a dialog is closed, so that its results are in the log. */
  async #endWork(rootId: RootId, dialog: DialogId, by: string): Promise<void> {
    const atWork = await this.look(rootId, (tree) => [...tree.flights.keys()].map((key) => key.split("/")[0] as DialogId));
    const isMain = (dialog as string) === (rootId as string);
    for (const id of new Set(isMain ? atWork : atWork?.filter((one) => one === dialog))) {
      await this.writer.commit(rootId, (tree) => decide(tree, { type: "stop", dialog: id, by }, this.rulebook.rules()));
    }
    await this.quiet(rootId, { onlyFlights: true });
  }
}

const endsMainTurn = (rootId: RootId, events: readonly TreeEvent[]): boolean =>
  events.some((event) => event.type === "step.ended" && event.ends === true && event.dialog === mainDialogOf(rootId));

/** A Taskdoc is a folder of its own: what a link leads to is not written to. */
function refuseLinked(documents: Documents, taskDocPath: string | undefined): Extract<Created, { ok: false }> | undefined {
  const part = taskDocPath === undefined ? undefined : documents.linkIn(taskDocPath);
  if (taskDocPath === undefined || part === undefined) return undefined;
  return { ok: false, refusal: { code: "bad_request", message: linkedDocument(taskDocPath, part) } };
}
