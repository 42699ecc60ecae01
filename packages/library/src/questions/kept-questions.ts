import type { Rulebook } from "@colloquy/runtime";
import { type Line, PROJECT_STREAM, type ProjectEvent, type QuestionId, type QuestionView } from "@colloquy/schema";
import type { Store } from "@colloquy/store";

/** Answered questions of deleted dialogs, each in the event that deleted its dialog. */
export class KeptQuestions {
  readonly #store: Store;
  readonly #rulebook: Rulebook;

  constructor(store: Store, rulebook: Rulebook) {
    this.#store = store;
    this.#rulebook = rulebook;
  }

  async get(id: string): Promise<QuestionView | undefined> {
    const kept = this.#rulebook.keptQuestions().get(id);
    return kept && (await this.#in(kept.seq)).find((view) => view.id === (id as QuestionId));
  }

  /** Newest first, at most so many. */
  async list(limit = Infinity): Promise<readonly QuestionView[]> {
    const kept = this.#rulebook.keptQuestions();
    const seqs = [...new Set([...kept.values()].map(({ seq }) => seq))].sort((a, b) => b - a);
    const found: QuestionView[] = [];
    for (const seq of seqs) {
      if (found.length >= limit) break;
      found.push(...(await this.#in(seq)).filter(({ id }) => kept.has(id)).toReversed());
    }
    return found.slice(0, limit);
  }

  async #in(seq: number): Promise<readonly QuestionView[]> {
    const [line] = (await this.#store.read(PROJECT_STREAM, seq - 1, 1)) as readonly Line<ProjectEvent>[];
    const event = line?.events[seq - line.seq];
    return event?.type === "tree.deleted" ? (event.questions ?? []) : [];
  }
}
