import type { ProjectEvent } from "@colloquy/client";
import { demand } from "./broken.ts";
import type { Ledger } from "./watches/ledger.ts";

/** A page's state of the whole project, built from what it was sent: each change once, in order, and complete. */
export class ProjectPage {
  readonly #who: string;
  readonly #ledger: Ledger;
  readonly #tasks = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  #pos = 0;

  constructor(who: string, ledger: Ledger) {
    this.#who = who;
    this.#ledger = ledger;
  }

  get tasks(): readonly string[] {
    return [...this.#tasks.keys()];
  }

  /** No later event is missed. */
  begins(pos: number): void {
    this.#pos = pos;
    this.#counts.clear();
    this.#tasks.clear();
  }

  hear(event: ProjectEvent): void {
    demand(event.pos >= this.#pos, "SI6", () => `${this.#who} was sent commit ${event.pos} after ${this.#pos}`);
    demand(event.pos <= this.#ledger.pos, "SI1", () => `${this.#who} was sent commit ${event.pos}, which is not durable`);
    this.#pos = event.pos;
    if (event.type === "task.updated") this.#tasks.set(event.task.id, event.task.status);
    if (event.type !== "questions_count_update") return;
    const { dialog, previousCount, questionCount } = event;
    const known = this.#counts.get(dialog.selfId);
    demand(
      known === undefined || known === previousCount,
      "SI6",
      () => `${this.#who} knew of ${known} questions of ${dialog.selfId}, and is told that there were ${previousCount}`,
    );
    this.#counts.set(dialog.selfId, questionCount);
  }

  demandUpToDate(): void {
    const { tasks, trees } = this.#ledger;
    for (const task of tasks.all) {
      const [told, is] = [this.#tasks.get(task.id), tasks.statusOf(task)];
      demand(told === undefined || told === is, "SI7", () => `${this.#who}'s page has task ${task.id} as ${told}, and it is ${is}`);
    }
    const open = new Map<string, number>();
    for (const tree of trees.values())
      for (const id of tree.openQuestions.keys()) {
        const { dialog = "", shares } = tree.questions.get(id) ?? {};
        if (shares === undefined) open.set(dialog, (open.get(dialog) ?? 0) + 1);
      }
    for (const [dialog, count] of this.#counts)
      demand(
        count === (open.get(dialog) ?? 0),
        "SI7",
        () => `${this.#who}'s page counts ${count} questions of ${dialog}, and there are ${open.get(dialog)}`,
      );
  }
}
