import { mainDialogOf, type RootId, shortId, type Status } from "@colloquy/schema";
import type { Commands } from "../engine/commands.ts";
import type { ProjectContext } from "../engine/project-context.ts";
import { answeredQuestions } from "./kept-questions.ts";

/** A while after the project was opened, so that its own work comes first. */
const FIRST_MS = 60_000;
const PASS_MS = 3_600_000;
/** In one pass; if there are more, the next one comes soon. */
const MAX_TREES = 100;
/** Index entries that are read between two looks at other work. */
const PAGE_ENTRIES = 200;
const BY = "retention";

/** Archives and deletes dialogs that have been over for long, as the settings say. One process at a time does. */
export class Retention {
  readonly #context: ProjectContext;
  readonly #commands: Commands;
  #isRunning = false;

  constructor(context: ProjectContext, commands: Commands) {
    this.#context = context;
    this.#commands = commands;
  }

  /** Begins, if the settings ask for it. Call it again when they change. */
  start(): void {
    const { deps, closing } = this.#context;
    if (this.#isRunning || !deps.team().retention || closing.aborted) return;
    this.#isRunning = true;
    void this.#run().finally(() => (this.#isRunning = false));
  }

  async #run(): Promise<void> {
    const { deps, closing } = this.#context;
    for (let waitMs = FIRST_MS; deps.team().retention;) {
      try {
        await deps.clock.sleep(waitMs, closing);
      } catch {
        return; // closing
      }
      await deps.refresh();
      const done = await this.#pass().catch((error: unknown) => {
        if (!closing.aborted) deps.report(error, "retention");
        return 0;
      });
      waitMs = done >= MAX_TREES ? FIRST_MS : PASS_MS;
    }
  }

  /** The number of trees that were due. */
  async #pass(): Promise<number> {
    const { deps, closing } = this.#context;
    const { archiveDone, deleteArchived, keepQuestions } = deps.team().retention ?? {};
    const cursor = deps.store.cursor(BY);
    if (!(await cursor.claim())) return 0; // another node is at it
    try {
      const toDelete = deleteArchived === undefined ? [] : await this.#due("archived", deleteArchived);
      const toArchive = archiveDone === undefined ? [] : await this.#due("completed", archiveDone);
      for (const rootId of toDelete) await this.#each(rootId, () => this.#delete(rootId, keepQuestions === true));
      for (const rootId of toArchive)
        await this.#each(rootId, () => this.#commands.give(rootId, { type: "archive", dialog: mainDialogOf(rootId), by: BY }));
      return Math.max(toDelete.length, toArchive.length);
    } finally {
      if (!closing.aborted) await cursor.release();
    }
  }

  async #due(status: Status, ageMs: number): Promise<readonly RootId[]> {
    const { store, clock } = this.#context.deps;
    const until = new Date(clock.now() - ageMs).toISOString();
    const due: RootId[] = [];
    for (let after: RootId | undefined; due.length < MAX_TREES;) {
      const page = store.list({ status, limit: PAGE_ENTRIES, ...(after !== undefined && { after }) });
      due.push(...page.filter(({ lastModified }) => lastModified < until).map(({ rootId }) => rootId));
      after = page.at(-1)?.rootId;
      if (after === undefined) break;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    return due.slice(0, MAX_TREES);
  }

  /** One tree that cannot be archived or deleted does not hold up the others. */
  async #each(rootId: RootId, work: () => Promise<unknown>): Promise<void> {
    const { deps, closing } = this.#context;
    if (closing.aborted) return;
    await work().catch((error: unknown) => deps.report(error, `retention of dialog ${shortId(rootId)}`));
  }

  async #delete(rootId: RootId, keeps: boolean): Promise<void> {
    // A tree that cannot be read has none to keep.
    const isDamaged = this.#context.deps.store.damageOf(rootId) !== undefined;
    const questions = keeps && !isDamaged ? await answeredQuestions(this.#context, rootId) : [];
    await this.#commands.delete({ rootId, questions, by: BY });
  }
}
