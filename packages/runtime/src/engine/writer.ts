import { decideHalt } from "@colloquy/core";
import { Fault, type RootId, shortId, type StopCode } from "@colloquy/schema";
import { type Choose, commit, type Desk, type Outcome } from "./commit.ts";
import { FULL_DISK_PAUSE_MS } from "./deps.ts";
import type { Rulebook } from "./rulebook.ts";
import type { RunRef } from "./run-ref.ts";

/** Writes to trees. */
export class Writer {
  readonly #desk: Desk;
  readonly #rulebook: Rulebook;
  readonly #closing: AbortSignal;

  constructor(desk: Desk, rulebook: Rulebook, closing: AbortSignal) {
    this.#desk = desk;
    this.#rulebook = rulebook;
    this.#closing = closing;
  }

  commit(rootId: RootId, choose: Choose): Promise<Outcome> {
    return commit(this.#desk, rootId, choose);
  }

  /** Commits what has already happened: on a full disk it waits for room instead of giving up. */
  async record(rootId: RootId, choose: Choose): Promise<Outcome> {
    const { clock, report } = this.#desk.deps;
    for (;;) {
      try {
        return await this.commit(rootId, choose);
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== "log_full" || this.#closing.aborted) throw error;
        report(error, `dialog ${shortId(rootId)}`);
        await clock.sleep(FULL_DISK_PAUSE_MS, this.#closing);
      }
    }
  }

  /** Stops a dialog until a person resumes it. `turn`: the turn that hit the fault. */
  async halt(ref: RunRef & { readonly turn?: number }, code: StopCode, message: string): Promise<void> {
    const id = this.#rulebook.idIn(ref.rootId);
    await this.record(ref.rootId, (tree) =>
      decideHalt(tree, { asker: ref, reason: { code, message }, question: id }, this.#rulebook.rules()),
    );
  }
}
