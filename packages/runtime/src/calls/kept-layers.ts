import { appliedCall, decideUndone, isBeingUndone, turnAt, undoRefusal } from "@colloquy/core";
import type { CallId, Refusal, RootId, TreeEventOf } from "@colloquy/schema";
import type { CommittedEvents } from "../engine/commit.ts";
import { undoByTool } from "./undo-by-tool.ts";
import type { ProjectContext } from "../engine/project-context.ts";
import { OneAtATime } from "../engine/one-at-a-time.ts";

const noop = (): void => undefined;

/** A layer is kept while its call is open, then applied or discarded. */
export class KeptLayers {
  readonly #context: ProjectContext;
  readonly #atWork = new Set<Promise<void>>();
  readonly #undos = new OneAtATime();

  constructor(context: ProjectContext) {
    this.#context = context;
  }

  /** A call that ended without effect leaves no layer: denied, given up, in conflict. */
  committed({ events, before }: Pick<CommittedEvents, "events" | "before">): void {
    for (const event of events)
      if (event.type === "call.ended" && event.outcome !== undefined && hadLayer(before, event)) this.#discard(event.call);
  }

  /** Finishes applying or undoing what a dead process left halfway, and removes layers of ended calls. Call before anything is driven. */
  async takeUp(): Promise<void> {
    const { staging, dir } = this.#context.deps;
    // If it can't be finished here, its call tries again.
    await staging?.recover(dir).catch((error: unknown) => this.#context.deps.report(error, "layers of commands"));
    await staging?.sweep(dir, (callId) => this.#isOpen(callId));
  }

  /**
   * Undoes what a person asked to undo, once, and records the outcome. Returns the reason if it wasn't undone. `isNew`: it was asked just now.
   * A layer is undone again after a crash, which changes nothing; a tool might do it twice, so nobody knows.
   */
  undo(rootId: RootId, call: CallId, isNew = false): Promise<Refusal | undefined> {
    const undoing = this.#undos.alone(call, () => this.#undoAlone(rootId, call, isNew));
    this.#keep(undoing.then(noop, noop)); // The caller that asked for it gets the failure.
    return undoing;
  }

  async #undoAlone(rootId: RootId, call: CallId, isNew: boolean): Promise<Refusal | undefined> {
    const { deps, trees, writer } = this.#context;
    const seen = () => trees.look(rootId, ({ state }) => appliedCall(state, call));
    const asked = await seen();
    if (asked && isBeingUndone(asked)) {
      const result = asked.byTool
        ? isNew
          ? await undoByTool(this.#context, rootId, asked)
          : { conflicts: [], notes: [], ended: "unknown" as const }
        : ((await deps.staging?.undo(call, deps.dir)) ?? { conflicts: [], notes: [], isGone: true });
      await writer.record(rootId, (tree) => decideUndone(tree, call, result));
    }
    const now = await seen();
    return now && !now.isUndone ? undoRefusal(now) : undefined;
  }

  /** Performs undos that a dead process was asked for. A failed one is retried at the next start. */
  async takeUpUndos(rootId: RootId): Promise<void> {
    const asked = await this.#context.trees.look(rootId, ({ state }) => state.applied.filter(isBeingUndone).map(({ call }) => call));
    for (const call of asked ?? [])
      await this.undo(rootId, call).catch((error: unknown) => this.#context.deps.report(error, `undo of call ${call}`));
  }

  /** Resolves when nothing is being removed or undone. */
  async over(): Promise<void> {
    while (this.#atWork.size > 0) await Promise.all(this.#atWork);
  }

  #keep(work: Promise<void>): void {
    this.#atWork.add(work);
    void work.finally(() => this.#atWork.delete(work));
  }

  /** True if the call hasn't ended. Its id leads to its tree. */
  async #isOpen(callId: string): Promise<boolean> {
    const { deps, trees } = this.#context;
    for (const rootId of deps.store.find(callId.slice(12, 20), 10)) {
      const isOpen = await trees.look(rootId, ({ state }) =>
        [...state.runs.values()].some((run) => run.turns.some((turn) => turn.calls.some((call) => call.id === callId))),
      );
      if (isOpen) return true;
    }
    return false;
  }

  #discard(call: CallId): void {
    const { staging, dir, report } = this.#context.deps;
    if (!staging) return;
    this.#keep(staging.discard(call, dir).catch((error: unknown) => report(error, `layer of call ${call}`)));
  }
}

function hadLayer(before: CommittedEvents["before"], event: TreeEventOf<"call.ended">): boolean {
  const call = turnAt(before, event)?.calls.find(({ id }) => id === event.call);
  return call?.isStaged === true || call?.ran !== undefined;
}
