import { type RootId, shortId } from "@colloquy/schema";
import type { Lanes } from "../engine/lane.ts";
import type { LiveTree } from "../engine/live-tree.ts";
import { holdOrReport, type ProjectContext } from "../engine/project-context.ts";
import type { DayGate } from "../watch/day-gate.ts";

/** What a model call beside the work needs. */
export interface AsideContext extends ProjectContext {
  readonly lanes: Lanes;
  readonly dayGate: DayGate;
}

type Ask = (context: AsideContext, tree: LiveTree) => Promise<void>;

/** Model calls beside the work, by tree. Only `quiet` and closing the project wait for them. */
export class Asides {
  readonly #context: AsideContext;
  readonly #drives: boolean;
  readonly #underWay = new Map<RootId, Promise<void>>();
  readonly #onOver: (rootId: RootId) => void;

  constructor(context: AsideContext, drives: boolean, onOver: (rootId: RootId) => void) {
    this.#context = context;
    this.#drives = drives;
    this.#onOver = onOver;
  }

  has(rootId: RootId): boolean {
    return this.#underWay.has(rootId);
  }

  begin(rootId: RootId, ask: Ask): void {
    if (!this.#drives || this.#context.closing.aborted) return;
    const all = Promise.all([this.#underWay.get(rootId), this.#ask(rootId, ask)]).then(() => {
      if (this.#underWay.get(rootId) === all) this.#underWay.delete(rootId);
      this.#onOver(rootId);
    });
    this.#underWay.set(rootId, all);
  }

  async over(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  async #ask(rootId: RootId, ask: Ask): Promise<void> {
    const { trees, deps, closing } = this.#context;
    const tree = await holdOrReport(this.#context, rootId);
    if (!tree) return;
    try {
      await ask(this.#context, tree);
    } catch (error) {
      if (!closing.aborted) deps.report(error, `dialog ${shortId(rootId)}`);
    } finally {
      trees.release(tree);
    }
  }
}
