import { Fault } from "@colloquy/schema";
import { codeOf, type Disk, isFull } from "../disk/disk.ts";
import { full, notConfirmed } from "./faults.ts";
import type { Layout } from "../disk/layout.ts";

/** The store's problems, if any. */
export class Condition {
  readonly #disk: Disk;
  readonly #layout: Layout;
  readonly #notices: string[];
  /** The last failure of something that is retried. */
  #trouble: string | undefined;
  /** A failed sync: nothing is accepted until the store is opened again. */
  failed: Fault | undefined;
  /** Commits were refused for lack of room. */
  full: Fault | undefined;

  constructor(disk: Disk, layout: Layout, notices: readonly string[]) {
    this.#disk = disk;
    this.#layout = layout;
    this.#notices = [...notices];
  }

  get refusing(): string | undefined {
    return this.failed?.message ?? this.full?.message;
  }

  get notices(): readonly string[] {
    return this.#trouble === undefined ? [...this.#notices] : [...this.#notices, this.#trouble];
  }

  found(notices: readonly string[]): void {
    this.#notices.push(...notices);
  }

  /** A failure of something that is retried, or may be left undone. */
  note(error: unknown): void {
    const fault = this.translated(error);
    this.#trouble = fault instanceof Error ? fault.message : String(fault);
  }

  /** Everything that waited is done. */
  eased(): void {
    this.full = this.#trouble = undefined;
  }

  translated(error: unknown): unknown {
    if (codeOf(error) === undefined || error instanceof Fault) return error;
    return isFull(error) ? full(this.#disk, this.#layout, error) : notConfirmed(error);
  }
}
