import type { Pace } from "./pace.ts";

/** Long enough to merge several commits of a busy tree into one write, short enough for someone watching the file. */
const WRITE_BEHIND_MS = 100;
const CHECKPOINT_MS = 2000;
/** Interval for writing files for people while nothing is committed … */
const PROJECT_MS = 10;
/** … and while something is: answers come first. */
const BUSY_PROJECT_MS = 500;
/** If it stays busy for this long, the files get more time. */
const PATIENCE_MS = 5_000;
const BUSY_FOR_LONG_PROJECT_MS = 100;
/** No commit for this long: nobody is working. */
const QUIET_MS = 100;
const RETRY_MS = 1000;

/** Background work. Failures are retried later. */
export interface Chores {
  write(): Promise<void>;
  isBehind(): boolean;
  /** Returns whether there is more, now or later. */
  projectSlice(): boolean;
  /** Time since the last commit. */
  quietMs(): number;
  checkpoint(): void;
  onFailure(error: unknown): void;
}

/** Schedules background work. */
export class Background {
  readonly #chores: Chores;
  readonly #pace: Pace;
  #isOn: boolean;
  /** Each cancels its timer. */
  #write: (() => void) | undefined;
  #project: (() => void) | undefined;
  #checkpoint: (() => void) | undefined;
  #projectingSinceMs = 0;

  constructor(chores: Chores, pace: Pace, isOn: boolean) {
    this.#chores = chores;
    this.#pace = pace;
    this.#isOn = isOn;
  }

  /** There is something to write behind, and to index once commits pause. */
  touched(): void {
    if (!this.#isOn) return;
    this.#write ??= this.#pace.later(WRITE_BEHIND_MS, this.#writeSome);
    this.#checkpoint ??= this.#pace.later(CHECKPOINT_MS, this.#checkpointSoon);
  }

  toProject(): void {
    if (!this.#isOn || this.#project) return;
    this.#projectingSinceMs = this.#pace.nowMs();
    this.#project = this.#pace.later(this.#projectPauseMs(), this.#projectSome);
  }

  stop(): void {
    this.#isOn = false;
    for (const callOff of [this.#write, this.#project, this.#checkpoint]) callOff?.();
  }

  readonly #writeSome = async (): Promise<void> => {
    const again = (ms: number) => (this.#write = this.#isOn ? this.#pace.later(ms, this.#writeSome) : undefined);
    try {
      await this.#chores.write();
      if (this.#chores.isBehind()) again(WRITE_BEHIND_MS);
      else this.#write = undefined;
    } catch (error) {
      this.#chores.onFailure(error);
      again(RETRY_MS);
    }
  };

  readonly #projectSome = (): void => {
    this.#project = undefined;
    try {
      if (this.#chores.projectSlice()) this.#project = this.#pace.later(this.#projectPauseMs(), this.#projectSome);
    } catch (error) {
      this.#chores.onFailure(error);
      this.#project = this.#pace.later(RETRY_MS, this.#projectSome);
    }
  };

  #projectPauseMs(): number {
    if (this.#chores.quietMs() > QUIET_MS) return PROJECT_MS;
    return this.#pace.nowMs() - this.#projectingSinceMs < PATIENCE_MS ? BUSY_PROJECT_MS : BUSY_FOR_LONG_PROJECT_MS;
  }

  readonly #checkpointSoon = (): void => {
    const quietMs = this.#chores.quietMs();
    // Checked when the timer fires, which is cheaper than resetting the timer at each commit.
    this.#checkpoint = quietMs < CHECKPOINT_MS ? this.#pace.later(CHECKPOINT_MS - quietMs, this.#checkpointSoon) : undefined;
    if (!this.#checkpoint) this.#chores.checkpoint();
  };
}
