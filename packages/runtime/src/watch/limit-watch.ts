import type { RootId } from "@colloquy/schema";
import type { Clock } from "../engine/deps.ts";

/** How often the settings are polled while somebody waits for a limit and nothing else would read them. */
const LOOK_MS = 2_000;

export interface LimitWatchHost {
  /** Rereads the settings if they changed, and reports that to `changed`. */
  refresh(): Promise<void> | void;
  /** Resumes what there is room for. True while a limit question is still open in that tree. */
  lift(rootId: RootId): Promise<boolean>;
  report(error: unknown, rootId: RootId): void;
}

/** Trees with an open limit question. When the settings allow more, they resume; no other tree is checked. */
export class LimitWatch {
  readonly #clock: Clock;
  readonly #host: LimitWatchHost;
  readonly #closing: AbortSignal;
  readonly #trees = new Set<RootId>();
  #isLooking = false;

  constructor(clock: Clock, closing: AbortSignal, host: LimitWatchHost) {
    this.#clock = clock;
    this.#closing = closing;
    this.#host = host;
  }

  add(rootId: RootId): void {
    this.#trees.add(rootId);
    if (!this.#isLooking) void this.#look();
  }

  /** Call when the settings have changed, or may have while the project was closed. */
  async changed(): Promise<void> {
    for (const rootId of this.#trees) {
      if (this.#closing.aborted) return;
      try {
        if (!(await this.#host.lift(rootId))) this.#trees.delete(rootId);
      } catch (error) {
        if (!this.#closing.aborted) this.#host.report(error, rootId);
      }
    }
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    try {
      while (this.#trees.size > 0) {
        await this.#clock.sleep(LOOK_MS, this.#closing);
        await this.#host.refresh();
      }
    } catch {
      return; // we are closing
    } finally {
      this.#isLooking = false;
    }
  }
}
