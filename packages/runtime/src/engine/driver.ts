import { Fault, type RootId, shortId } from "@colloquy/schema";
import type { Asides } from "../step/asides.ts";
import type { DayGate } from "../watch/day-gate.ts";
import { QuietWaiters } from "../watch/quiet-waiters.ts";
import { Coordinator } from "./coordinator.ts";
import { Crossing } from "./crossing.ts";
import { FULL_DISK_PAUSE_MS } from "./deps.ts";
import { drain } from "./drain.ts";
import type { LiveTree } from "./live-tree.ts";
import { holdOrReport, mayDrive, type ProjectContext } from "./project-context.ts";
import { RunContext, type SharedByRuns } from "./run-context.ts";
import { refKey, refOf, type RunRef } from "./run-ref.ts";

/** The parts that may hold a run back, or keep its tree busy. */
interface DriverParts {
  readonly dayGate: DayGate;
  readonly asides: Asides;
  /** False for a process that only asks and answers. */
  readonly drives: boolean;
}

/** Drives the runs that are ready: one drain per run, any number of runs at once. */
export class Driver {
  readonly #context: ProjectContext;
  readonly #shared: SharedByRuns;
  readonly #dayGate: DayGate;
  readonly #asides: Asides;
  readonly #drives: boolean;
  readonly #coordinator = new Coordinator((key) => this.#drive(refOf(key)));
  readonly #crossing = new Crossing();
  /** Runs whose next step was interrupted by a crash. */
  readonly #interrupted = new Set<string>();
  /** Runs that ended on a fault of the store; nobody drives them until something wakes them. */
  readonly #givenUp = new Set<string>();
  readonly #quietWaiters = new QuietWaiters((tree, onlyFlights) => this.#isQuiet(tree, onlyFlights));

  constructor(context: ProjectContext, shared: SharedByRuns, { dayGate, asides, drives }: DriverParts) {
    this.#context = context;
    this.#shared = shared;
    this.#dayGate = dayGate;
    this.#asides = asides;
    this.#drives = drives;
  }

  wake(ref: RunRef): void {
    this.#givenUp.delete(refKey(ref));
    if (this.#drives && mayDrive(this.#context, ref.rootId)) this.#coordinator.wake(refKey(ref));
  }

  /** Wakes every run of a tree that is ready. `isInterrupted`: a crash may have interrupted their next steps. */
  async takeUp(rootId: RootId, isInterrupted: boolean): Promise<void> {
    const { trees } = this.#context;
    await trees.look(rootId, (tree) => {
      for (const key of tree.state.ready.keys()) {
        const ref = refOf(`${rootId}/${key}`);
        if (isInterrupted && !this.#coordinator.isRunning(refKey(ref))) this.#interrupted.add(refKey(ref));
        this.wake(ref);
      }
    });
  }

  /**
   * Resolves when no turn of the tree may step and none is in flight. A pause between two attempts is not quiet; a turn that waits for
   * the day's budget, or whose run was given up, is. `onlyFlights`: waits only until aborted work has ended. False if the signal was
   * aborted first.
   */
  async quiet(
    rootId: RootId,
    { onlyFlights = false, signal }: { readonly onlyFlights?: boolean; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<boolean> {
    const waiting = await this.#context.trees.look(rootId, (tree) => this.#quietWaiters.wait(tree, onlyFlights, signal));
    return waiting ? waiting.over : true;
  }

  /** Call when something in the tree has ended: it may be quiet now. */
  rested(tree: LiveTree): void {
    this.#quietWaiters.rested(tree);
  }

  /** Starts no new runs; resolves when the running ones have ended. */
  close(): Promise<void> {
    return this.#coordinator.close();
  }

  async #drive(ref: RunRef): Promise<void> {
    const { trees, deps, closing } = this.#context;
    const tree = await holdOrReport(this.#context, ref.rootId);
    if (!tree) {
      this.#givenUp.add(refKey(ref));
      return;
    }
    tree.drains += 1;
    try {
      const gates = { dayGate: this.#dayGate, crossing: this.#crossing, interrupted: this.#interrupted };
      await drain(new RunContext(this.#context, this.#shared, tree, ref), gates);
    } catch (error) {
      if (closing.aborted) return;
      // Another commit had to be redone on the tree as it is on disk: this run continues there.
      if (error instanceof Fault && error.code === "log_conflict") return this.wake(ref);
      deps.report(error, `dialog ${shortId(ref.dialog)}`);
      if (error instanceof Fault) {
        this.#givenUp.add(refKey(ref));
        // The disk is full: the run resumes once there is room.
        if (error.code === "log_full") this.#wakeLater(ref);
      } else await this.#quarantine(ref, error);
    } finally {
      tree.drains -= 1;
      this.rested(tree);
      trees.release(tree);
    }
  }

  #wakeLater(ref: RunRef): void {
    const { deps, closing } = this.#context;
    deps.clock.sleep(FULL_DISK_PAUSE_MS, closing).then(
      () => this.wake(ref),
      () => undefined,
    );
  }

  /** A bug of ours stops this one dialog and says so; the others continue. */
  async #quarantine(ref: RunRef, error: unknown): Promise<void> {
    const { writer, deps } = this.#context;
    const what = error instanceof Error ? error.message : String(error);
    const id = shortId(ref.dialog);
    const message = `Something went wrong inside Colloquy: ${what}. Dialog ${id} is stopped; nothing was lost. Try: colloquy resume ${id}`;
    await writer.halt(ref, "bug", message).catch((failure: unknown) => deps.report(failure, `dialog ${id}`));
  }

  #isQuiet(tree: LiveTree, onlyFlights: boolean): boolean {
    if (onlyFlights) return ![...tree.flights.values()].some((flight) => flight.abort.signal.aborted);
    if (tree.drains > 0 || tree.flights.size > 0 || this.#asides.has(tree.rootId)) return false;
    if (!this.#drives || this.#context.closing.aborted || tree.state.ready.size === 0) return true;
    return [...tree.state.ready.keys()].every(
      (key) => this.#givenUp.has(`${tree.rootId}/${key}`) || this.#dayGate.holds(`${tree.rootId}/${key}`),
    );
  }
}
