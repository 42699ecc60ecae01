import type { ProjectGrant } from "@colloquy/core";
import type { Commands, Rulebook } from "@colloquy/runtime";
import type { Signed } from "../dialogs/signed.ts";

/** Standing approvals: calls that agents may make without asking again. */
export class Grants {
  readonly #rulebook: Rulebook;
  readonly #commands: Commands;

  /** @internal */
  constructor(rulebook: Rulebook, commands: Commands) {
    this.#rulebook = rulebook;
    this.#commands = commands;
  }

  list(): readonly ProjectGrant[] {
    return this.#rulebook.grants();
  }

  async revoke(id: string, { by = "owner", msgId }: Signed = {}): Promise<void> {
    await this.#commands.revokeGrant(id, { by, msgId });
  }
}
