import type { ProjectGrant } from "@colloquy/core";
import type { Engine } from "@colloquy/runtime";
import type { Signed } from "../dialogs/signed.ts";

/** Standing approvals: calls that agents may make without asking again. */
export class Grants {
  readonly #engine: Engine;

  /** @internal */
  constructor(engine: Engine) {
    this.#engine = engine;
  }

  list(): readonly ProjectGrant[] {
    return this.#engine.rulebook.grants();
  }

  async revoke(id: string, { by = "owner", msgId }: Signed = {}): Promise<void> {
    await this.#engine.revokeGrant(id, { by, msgId });
  }
}
