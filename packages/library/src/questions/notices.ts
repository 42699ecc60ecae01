import type { Notice } from "@colloquy/core";
import type { Engine } from "@colloquy/runtime";
import type { Signed } from "../dialogs/signed.ts";

/** What agents did without asking, where reporting was enough. */
export class Notices {
  readonly #notices: Engine["notices"];

  /** @internal */
  constructor(notices: Engine["notices"]) {
    this.#notices = notices;
  }

  /** Unread notices. */
  list(): readonly Notice[] {
    return this.#notices.open();
  }

  /** Marks a notice as read. */
  async resolve(id: string, { by = "owner", msgId }: Signed = {}): Promise<void> {
    await this.#notices.putAway(id, { by, msgId });
  }
}
