import type { Pace } from "./pace.ts";

/** Long enough for several commits of a busy tree to become one write, short enough for whoever watches the file. */
const WRITE_BEHIND_MS = 100;
const CHECKPOINT_MS = 2000;
/** Files for people are written every so often while nothing is committed … */
const PROJECT_MS = 10;
/** … and so often while something is: first who waits for an answer. */
const BUSY_PROJECT_MS = 500;
/** Where it goes on and on, the files come into their own. */
const PATIENCE_MS = 5_000;
const BUSY_FOR_LONG_PROJECT_MS = 100;
/** The last commit is so long ago: nobody is at work. */
const QUIET_MS = 100;
const RETRY_MS = 1000;

/** What is done by itself. A failure is tried again later. */
export interface Chores {
  write(): Promise<void>;
  isBehind(): boolean;
  /** Returns whether there is more, now or in a while. */
  projectSlice(): boolean;
  /** Since the last commit. */
  quietMs(): number;
  checkpoint(): void;
  onFailure(error: unknown): void;
}

/** Says when. */
export class Background {
  readonly #chores: Chores;
  readonly #pace: Pace;
  #isOn: boolean;
  /** Each is the way to call it off. */
  #write: (() => void) | undefined;
  #project: (() => void) | undefined;
  #checkpoint: (() => void) | undefined;
  #projectingSinceMs = 0;

  constructor(chores: Chores, pace: Pace, isOn: boolean) {
    this.#chores = chores;
    this.#pace = pace;
    this.#isOn = isOn;
  }

  /** There is something to write behind, and to be brought into the index once nothing more comes. */
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
    // Looked at when the time is over, which costs commits less than winding the clock up each time.
    this.#checkpoint = quietMs < CHECKPOINT_MS ? this.#pace.later(CHECKPOINT_MS - quietMs, this.#checkpointSoon) : undefined;
    if (!this.#checkpoint) this.#chores.checkpoint();
  };
}
