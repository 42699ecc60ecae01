import { changedDialogs, type ProjectionFile, projectionsOf, responseFile, type Tree, sayingsIn } from "@colloquy/core";
import type { RootId } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import type { Clock } from "./deps.ts";
import { readEvent, readSayings } from "./sayings.ts";

const REST_MS = 1_000;

/** A tree as it is, and as it was when its files were last written. */
interface Behind {
  readonly tree: Tree;
  readonly written: Tree;
}

/** Hands the files for people to the store once a tree has rested for a second. One timer for all trees, none when all is written. */
export class Projector {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #behind = new Map<RootId, Behind>();
  readonly #closing = new AbortController();
  readonly #report: (error: unknown, where: string) => void;
  #isWaiting = false;

  constructor(store: Store, clock: Clock, report: (error: unknown, where: string) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#report = report;
  }

  /** `before`: the tree before this change, whose files are written unless it is behind already. Folded state is small: keeping it costs little. */
  note(tree: Tree, before: Tree, fromScratch = false): void {
    const written = fromScratch ? before : (this.#behind.get(tree.rootId)?.written ?? before);
    this.#behind.set(tree.rootId, { tree, written });
    if (!this.#isWaiting) void this.#wait();
  }

  get isBehind(): boolean {
    return this.#behind.size > 0;
  }

  /** Everything now. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const rootId of this.#behind.keys()) await this.#write(rootId);
  }

  async #wait(): Promise<void> {
    this.#isWaiting = true;
    while (this.#behind.size > 0) {
      const isOver = await this.#clock.sleep(REST_MS, this.#closing.signal).then(
        () => false,
        () => true,
      );
      if (isOver) return;
      const rested = this.#clock.now() - REST_MS;
      for (const [rootId, { tree }] of this.#behind) if (tree.at <= rested) await this.#write(rootId);
    }
    this.#isWaiting = false;
  }

  async #write(rootId: RootId): Promise<void> {
    const behind = this.#behind.get(rootId);
    if (!behind) return;
    this.#behind.delete(rootId);
    try {
      const { tree, written } = behind;
      const needed = changedDialogs(tree, written).flatMap((dialog) => sayingsIn(tree, dialog));
      const sayings = await readSayings(this.#store, rootId, needed);
      this.#store.project(rootId, [...projectionsOf(tree, sayings, written), ...(await this.#responses(behind))], tree.seq);
    } catch (error) {
      this.#report(error, `files of ${rootId}`);
    }
  }

  async #responses({ tree, written }: Behind): Promise<readonly ProjectionFile[]> {
    const files: ProjectionFile[] = [];
    for (const dialog of changedDialogs(tree, written)) {
      const seq = dialog.response?.seq;
      if (seq === undefined || seq === written.dialogs.get(dialog.id)?.response?.seq) continue;
      const event = await readEvent(this.#store, tree.rootId, seq);
      if (event?.type === "ask.answered") files.push(responseFile(dialog, event));
    }
    return files;
  }
}
