import { decideSharedEnd, sharesToClose } from "@colloquy/core";
import { Fault, shortId } from "@colloquy/schema";
import type { CommittedEvents } from "../engine/commit.ts";
import type { Engine } from "../engine/engine.ts";

/**
 * Two trees that ask the same about a section of the requirements share one question. When it is closed, this closes the others,
 * each in a commit of its tree. The project's stream knows which are left, so a new process goes on where the last one died.
 */
export class SharedQuestions {
  readonly #engine: Engine;
  readonly #closing = new Set<Promise<void>>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** A commit may have closed what others share. */
  committed({ events, after }: Pick<CommittedEvents, "events" | "after">): void {
    if (after.task?.kind !== "prd" || !events.some(({ type }) => type === "question.closed")) return;
    this.#close(after.task.key ?? after.task.id);
  }

  /** Closes what an earlier process left open. */
  takeUp(): void {
    for (const section of this.#engine.rulebook.rules().sections().keys()) this.#close(section);
  }

  /** Resolves when nothing is being closed any more. */
  async over(): Promise<void> {
    while (this.#closing.size > 0) await Promise.all(this.#closing);
  }

  #close(section: string): void {
    const engine = this.#engine;
    for (const { rootId, question, end } of sharesToClose(engine.rulebook.rules().sections(), section)) {
      const closed = engine.writer
        .record(rootId, (tree) => decideSharedEnd(tree, question, end, engine.rulebook.rules()))
        .then(
          () => undefined,
          (error: unknown) => {
            // Left for the next process.
            if (!engine.isClosing || !(error instanceof Fault)) engine.deps.report(error, `dialog ${shortId(rootId)}`);
          },
        );
      this.#closing.add(closed);
      void closed.finally(() => this.#closing.delete(closed));
    }
  }
}
