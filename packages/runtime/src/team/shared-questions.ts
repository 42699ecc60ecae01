import { decideSharedEnd, sharesToClose } from "@colloquy/core";
import { Fault, shortId } from "@colloquy/schema";
import type { CommittedEvents } from "../engine/commit.ts";
import type { ProjectContext } from "../engine/project-context.ts";

/**
 * Two trees that ask the same about a section of the requirements share one question. When it is closed, this closes the others, each
 * in a commit of its tree. The project's stream knows which are left, so a new process continues where the last one died.
 */
export class SharedQuestions {
  readonly #context: ProjectContext;
  readonly #closing = new Set<Promise<void>>();

  constructor(context: ProjectContext) {
    this.#context = context;
  }

  /** Call after a commit that may have closed a shared question. */
  committed({ events, after }: Pick<CommittedEvents, "events" | "after">): void {
    if (after.task?.kind !== "prd" || !events.some(({ type }) => type === "question.closed")) return;
    this.#close(after.task.key ?? after.task.id);
  }

  /** Closes what an earlier process left open. */
  takeUp(): void {
    for (const section of this.#context.rulebook.rules().sections().keys()) this.#close(section);
  }

  /** Resolves when nothing is being closed. */
  async over(): Promise<void> {
    while (this.#closing.size > 0) await Promise.all(this.#closing);
  }

  #close(section: string): void {
    const { deps, rulebook, writer, closing } = this.#context;
    for (const { rootId, question, end } of sharesToClose(rulebook.rules().sections(), section)) {
      const closed = writer
        .record(rootId, (tree) => decideSharedEnd(tree, question, end, rulebook.rules()))
        .then(
          () => undefined,
          (error: unknown) => {
            // Left for the next process.
            if (!closing.aborted || !(error instanceof Fault)) deps.report(error, `dialog ${shortId(rootId)}`);
          },
        );
      this.#closing.add(closed);
      void closed.finally(() => this.#closing.delete(closed));
    }
  }
}
