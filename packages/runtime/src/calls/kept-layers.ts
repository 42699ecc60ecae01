import { turnAt } from "@colloquy/core";
import type { CallId, TreeEventOf } from "@colloquy/schema";
import type { CommittedEvents } from "../engine/commit.ts";
import type { Engine } from "../engine/engine.ts";

/** A layer is kept as long as its call is open: then it is applied, or thrown away. */
export class KeptLayers {
  readonly #engine: Engine;
  readonly #discarding = new Set<Promise<void>>();

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

  /** Resolves when nothing is being removed any more. */
  async over(): Promise<void> {
    while (this.#discarding.size > 0) await Promise.all(this.#discarding);
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
    const discarding = staging.discard(call, dir).catch((error: unknown) => report(error, `layer of call ${call}`));
    this.#discarding.add(discarding);
    void discarding.finally(() => this.#discarding.delete(discarding));
  }
}

function hadLayer(before: CommittedEvents["before"], event: TreeEventOf<"call.ended">): boolean {
  const call = turnAt(before, event)?.calls.find(({ id }) => id === event.call);
  return call?.isStaged === true || call?.ran !== undefined;
}
