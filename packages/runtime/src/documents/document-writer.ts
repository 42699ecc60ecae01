import type { RootId } from "@colloquy/schema";
import { FULL_DISK_PAUSE_MS } from "../engine/deps.ts";
import type { Engine } from "../engine/engine.ts";
import { writeDocuments } from "./persons-document.ts";

/** What cannot be written is tried again after longer and longer pauses, up to this. */
const MAX_PAUSE_MS = 60_000;

/** Sees to it that documents say what people and the orchestrator want them to say. */
export class DocumentWriter {
  readonly #engine: Engine;
  /** Trees with documents that could not be written, and are tried again. */
  readonly #unsettled = new Set<RootId>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** What is recorded and not written yet. Where that fails it is tried again by itself, also when nothing else happens. */
  async settle(rootId: RootId): Promise<void> {
    try {
      await writeDocuments(this.#engine, rootId);
    } catch (error) {
      this.later(rootId);
      throw error;
    }
  }

  later(rootId: RootId, pauseMs = FULL_DISK_PAUSE_MS): void {
    if (this.#unsettled.has(rootId)) return;
    this.#unsettled.add(rootId);
    this.#engine.deps.clock.sleep(pauseMs, this.#engine.closing).then(
      () => {
        this.#unsettled.delete(rootId);
        return writeDocuments(this.#engine, rootId).catch(() => this.later(rootId, Math.min(2 * pauseMs, MAX_PAUSE_MS)));
      },
      () => undefined, // the next process finds it in the log
    );
  }
}
