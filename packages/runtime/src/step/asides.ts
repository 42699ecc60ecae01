import type { RootId } from "@colloquy/schema";

/** Models that are asked beside the work, by tree. Only `quiet` waits for them. */
export class Asides {
  readonly #underWay = new Map<RootId, Promise<void>>();
  readonly #onOver: (rootId: RootId) => void;

  constructor(onOver: (rootId: RootId) => void) {
    this.#onOver = onOver;
  }

  has(rootId: RootId): boolean {
    return this.#underWay.has(rootId);
  }

  /** `ask` keeps its failures to itself. */
  begin(rootId: RootId, ask: () => Promise<void>): void {
    const all = Promise.all([this.#underWay.get(rootId), ask()]).then(() => {
      if (this.#underWay.get(rootId) === all) this.#underWay.delete(rootId);
      this.#onOver(rootId);
    });
    this.#underWay.set(rootId, all);
  }

  async over(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }
}
