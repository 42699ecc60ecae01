import type { Pace } from "./pace.ts";

/** Long enough for several commits of a busy tree to become one write, short enough for whoever watches the file. */
const WRITE_BEHIND_MS = 100;
const CHECKPOINT_MS = 2000;
const PROJECT_MS = 100;
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
    if (this.#isOn) this.#project ??= this.#pace.later(PROJECT_MS, this.#projectSome);
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
      if (this.#chores.projectSlice())
        this.#project = this.#pace.later(this.#chores.quietMs() > PROJECT_MS ? PROJECT_MS / 10 : PROJECT_MS, this.#projectSome);
    } catch (error) {
      this.#chores.onFailure(error);
      this.#project = this.#pace.later(RETRY_MS, this.#projectSome);
    }
  };

  readonly #checkpointSoon = (): void => {
    const quietMs = this.#chores.quietMs();
    // Looked at when the time is over, which costs commits less than winding the clock up each time.
    this.#checkpoint = quietMs < CHECKPOINT_MS ? this.#pace.later(CHECKPOINT_MS - quietMs, this.#checkpointSoon) : undefined;
    if (!this.#checkpoint) this.#chores.checkpoint();
  };
}
