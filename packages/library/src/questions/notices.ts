import type { Notice } from "@colloquy/core";
import type { Engine } from "@colloquy/runtime";
import type { Signed } from "../dialogs/signed.ts";

/** What agents did without asking because they only had to say so. */
export class Notices {
  readonly #engine: Engine;

  /** @internal */
  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Unread notices. */
  list(): readonly Notice[] {
    return this.#engine.notices.open();
  }

  /** Marks a notice as read. */
  async resolve(id: string, { by = "owner", msgId }: Signed = {}): Promise<void> {
    await this.#engine.notices.putAway(id, { by, msgId });
  }
}
