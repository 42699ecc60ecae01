import { Fault } from "@colloquy/schema";
import { Background } from "./disk/background.ts";
import type { Catalog } from "./catalog.ts";
import { syncDirt } from "./journal/checkpoint.ts";
import type { Condition } from "./inspect/condition.ts";
import { type Disk, isFull } from "./disk/disk.ts";
import type { IndexFile } from "./courses/index-file.ts";
import type { Layout } from "./disk/layout.ts";
import type { Pace } from "./disk/pace.ts";
import type { Projections } from "./projections.ts";
import type { Slots } from "./journal/slots.ts";
import type { WriteBehind } from "./courses/write-behind.ts";

/** What upkeep works on. */
export interface Estate {
  readonly disk: Disk;
  readonly pace: Pace;
  readonly layout: Layout;
  readonly index: IndexFile;
  readonly catalog: Catalog;
  readonly behind: WriteBehind;
  readonly slots: Slots;
  readonly projections: Projections;
  readonly condition: Condition;
  /** Off: no background work, tests trigger it. */
  readonly isBackground: boolean;
}

export interface UpkeepHost {
  /** Closes the journal's newest generation and returns it. */
  seal(): Promise<number>;
  pos(): number;
  quietMs(): number;
  onCheckpoint(): void;
}

/** Everything that happens to a commit once it is durable: into course file and index, and out of the journal. */
export class Upkeep {
  readonly #estate: Estate;
  readonly #host: UpkeepHost;
  readonly #background: Background;
  #checkpointing: Promise<void> | undefined;

  constructor(estate: Estate, host: UpkeepHost) {
    this.#estate = estate;
    this.#host = host;
    this.#background = new Background(
      {
        write: () => estate.behind.write(),
        isBehind: () => !estate.behind.isIdle,
        projectSlice: () => {
          estate.projections.slice(estate.pace.nowMs());
          return !estate.projections.isEmpty;
        },
        checkpoint: () => this.checkpointSoon(),
        quietMs: () => host.quietMs(),
        onFailure: (error) => estate.condition.note(error),
      },
      estate.pace,
      estate.isBackground,
    );
  }

  /** There is something to write behind. */
  touched(): void {
    this.#background.touched();
  }

  toProject(): void {
    this.#background.toProject();
  }

  /** Writes pending lines into course files. */
  flush(): Promise<void> {
    return this.#estate.behind.write();
  }

  /** Makes course files and index durable, and the journal empty. */
  checkpoint(): Promise<void> {
    return (this.#checkpointing ??= this.#checkpoint().finally(() => (this.#checkpointing = undefined)));
  }

  checkpointSoon(): void {
    const { condition } = this.#estate;
    void this.checkpoint().catch((error: unknown) => {
      condition.note(error);
      if (!condition.failed) this.#background.touched(); // for lack of room: it is retried, even if nothing is committed
    });
  }

  async emptySlots(): Promise<void> {
    await this.#checkpointing?.catch(() => {}); // it may have begun before the slots were full, and is retried
    await this.checkpoint();
  }

  /** The final pass. What cannot be done stays in the journal for the next start. */
  async finish(): Promise<void> {
    this.#background.stop();
    try {
      if (!this.#estate.condition.failed) this.#projectAll();
      await this.emptySlots();
      await this.#estate.slots.clear();
    } catch (error) {
      this.#estate.condition.note(error);
    }
    this.#estate.projections.stop();
  }

  async #checkpoint(): Promise<void> {
    const { behind, catalog, index, slots, projections, condition } = this.#estate;
    if (condition.failed) throw condition.failed;
    const generation = await this.#host.seal();
    await behind.write({ setsAside: true });
    const removed = behind.takeRemoved();
    const rows = catalog.fresh();
    if (rows.length === 0 && removed.length === 0 && !slots.isAnyTaken()) return;
    // Rows that say that files for people are written come only after these are durable.
    const projected = projections.takeWritten();
    const pos = this.#host.pos();
    try {
      await syncDirt(this.#estate, behind.takeDirt(), projected);
      await index.append(catalog, rows, { pos, freed: generation });
    } catch (error) {
      if (error instanceof Fault) condition.failed = error; // a failed sync; lack of room is retried
      throw error;
    }
    slots.free(generation);
    behind.forgetDeleted(removed);
    condition.eased();
    this.#host.onCheckpoint();
  }

  /** Idle or not. What has no room is left to the next start. */
  #projectAll(): void {
    const { projections, condition } = this.#estate;
    while (!projections.isEmpty) {
      try {
        projections.slice(Infinity);
      } catch (error) {
        condition.note(error);
        if (isFull(error)) return;
      }
    }
  }
}
