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

  /** Dismisses a notice, for everybody: it counts as read. */
  async dismiss(id: string, { by = "owner", msgId }: Signed = {}): Promise<void> {
    await this.#notices.dismiss(id, { by, msgId });
  }
}
