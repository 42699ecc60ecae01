import { appliedCall, decideUndone, isBeingUndone, turnAt, undoRefusal } from "@colloquy/core";
import type { CallId, Refusal, RootId, TreeEventOf } from "@colloquy/schema";
import type { CommittedEvents } from "../engine/commit.ts";
import type { Engine } from "../engine/engine.ts";
import { OneAtATime } from "../engine/one-at-a-time.ts";

const noop = (): void => undefined;

/** A layer is kept as long as its call is open: then it is applied, or thrown away. */
export class KeptLayers {
  readonly #engine: Engine;
  readonly #atWork = new Set<Promise<void>>();
  readonly #undos = new OneAtATime();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** A call that ended without effect leaves no layer: denied, given up, in conflict. */
  committed({ events, before }: Pick<CommittedEvents, "events" | "before">): void {
    for (const event of events)
      if (event.type === "call.ended" && event.outcome !== undefined && hadLayer(before, event)) this.#discard(event.call);
  }

  /** What a process that died was applying is applied to the end, and layers whose calls are over are removed. Before anything is driven. */
  async takeUp(): Promise<void> {
    const { staging, dir } = this.#engine.deps;
    // What cannot be finished here is met again by its own call.
    await staging?.recover(dir).catch((error: unknown) => this.#engine.deps.report(error, "layers of commands"));
    await staging?.sweep(dir, (callId) => this.#isOpen(callId));
  }

  /** Takes back what a person asked to undo, once, and records what came of it. Gives why it was not undone, if it was not. */
  undo(rootId: RootId, call: CallId): Promise<Refusal | undefined> {
    const undoing = this.#undos.alone(call, () => this.#undoAlone(rootId, call));
    this.#keep(undoing.then(noop, noop)); // The caller that asked for it gets the failure.
    return undoing;
  }

  async #undoAlone(rootId: RootId, call: CallId): Promise<Refusal | undefined> {
    const engine = this.#engine;
    const seen = () => engine.look(rootId, ({ state }) => appliedCall(state, call));
    const asked = await seen();
    if (asked && isBeingUndone(asked)) {
      const result = (await engine.deps.staging?.undo(call, engine.deps.dir)) ?? { conflicts: [], notes: [], isGone: true };
      await engine.writer.record(rootId, (tree) => decideUndone(tree, call, result));
    }
    const now = await seen();
    return now && !now.isUndone ? undoRefusal(now) : undefined;
  }

  /** Undoes what a process that died was asked to undo. What cannot be undone now is tried again at the next start. */
  async takeUpUndos(rootId: RootId): Promise<void> {
    const asked = await this.#engine.look(rootId, ({ state }) => state.applied.filter(isBeingUndone).map(({ call }) => call));
    for (const call of asked ?? [])
      await this.undo(rootId, call).catch((error: unknown) => this.#engine.deps.report(error, `undo of call ${call}`));
  }

  /** Resolves when nothing is being removed or undone any more. */
  async over(): Promise<void> {
    while (this.#atWork.size > 0) await Promise.all(this.#atWork);
  }

  #keep(work: Promise<void>): void {
    this.#atWork.add(work);
    void work.finally(() => this.#atWork.delete(work));
  }

  /** The id of a call leads to its tree. */
  async #isOpen(callId: string): Promise<boolean> {
    const engine = this.#engine;
    for (const rootId of engine.deps.store.find(callId.slice(12, 20), 10)) {
      const isOpen = await engine.look(rootId, ({ state }) =>
        [...state.runs.values()].some((run) => run.turns.some((turn) => turn.calls.some((call) => call.id === callId))),
      );
      if (isOpen) return true;
    }
    return false;
  }

  #discard(call: CallId): void {
    const { staging, dir, report } = this.#engine.deps;
    if (!staging) return;
    this.#keep(staging.discard(call, dir).catch((error: unknown) => report(error, `layer of call ${call}`)));
  }
}

function hadLayer(before: CommittedEvents["before"], event: TreeEventOf<"call.ended">): boolean {
  const call = turnAt(before, event)?.calls.find(({ id }) => id === event.call);
  return call?.isStaged === true || call?.ran !== undefined;
}
