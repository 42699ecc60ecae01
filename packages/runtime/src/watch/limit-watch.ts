import type { RootId } from "@colloquy/schema";
import type { Clock } from "../engine/deps.ts";

/** How often the settings are looked at while somebody waits for a limit and nothing else would read them. */
const LOOK_MS = 2_000;

export interface LimitWatchHost {
  /** Reads the settings again if they changed; tells `changed` of it. */
  refresh(): Promise<void> | void;
  /** Lets go what there is room for. True while a question about a limit is still open in that tree. */
  lift(rootId: RootId): Promise<boolean>;
  report(error: unknown, rootId: RootId): void;
}

/** Trees in which a limit is asked about. When the settings allow more, they go on by themselves; no other tree is looked at. */
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

  /** The settings have changed, or may have while nobody was here. */
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
