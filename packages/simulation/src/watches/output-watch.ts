import { type Tree, turnAt } from "@colloquy/core";
import { type Line, type ProjectEvent, type RootId, textOf, type TreeEvent, type TreeEventOf } from "@colloquy/schema";
import { demand } from "../broken.ts";

/** What models meant, by the marks in their texts: recorded where the texts are made. */
class Meant {
  /** Readable questions. */
  readonly asked = new Set<string>();
  /** Texts that only mention questions. */
  readonly mentioned = new Set<string>();
  /** The stated status; `asks`: with questions. */
  readonly statuses = new Map<string, { readonly status: "success" | "failed"; readonly asks: boolean }>();
}

const MARK = /#w\d+#/g;

/** What happens to models' texts: no question is lost or made up, and no failure closes a task. */
export class OutputWatch {
  readonly meant = new Meant();
  /** The status that a task's run stated last. */
  readonly #said = new Map<RootId, "success" | "failed">();
  readonly #trees: ReadonlyMap<RootId, Tree>;
  /** A commit's lines come in any order: what it closes is checked with the next one. */
  #closed: { readonly task: string; readonly pos: number }[] = [];

  constructor(trees: ReadonlyMap<RootId, Tree>) {
    this.#trees = trees;
  }

  /** `before`: the tree before the event. */
  hear(before: Tree, { events, pos }: Line<TreeEvent>): void {
    this.#demandOpen(pos);
    for (const event of events) {
      if (event.type === "message.added" && event.task) this.#said.delete(before.rootId);
      if (event.type === "step.ended") this.#hearStep(before, event, events);
    }
  }

  hearProject(event: ProjectEvent, pos: number): void {
    this.#demandOpen(pos);
    if (event.type === "task.closed" && event.by === undefined) this.#closed.push({ task: event.task, pos });
  }

  #hearStep(before: Tree, event: TreeEventOf<"step.ended">, events: readonly TreeEvent[]): void {
    const text = textOf(event.parts);
    const marks = text.match(MARK) ?? [];
    const written = JSON.stringify(events.filter(({ type }) => type === "question.asked"));
    const isTold = events.some((one) => one.type === "note.added" && one.code === "unreadable_questions");
    for (const mark of marks)
      if (this.meant.mentioned.has(mark))
        demand(!written.includes(mark) && !isTold, "SI18", () => `${mark} only mentions questions, and somebody was asked or told`);
    const cause = turnAt(before, event)?.cause.kind;
    if (cause === "thread" || before.dialogs.get(event.dialog)?.side?.fresh) return;
    for (const mark of marks)
      if (this.meant.asked.has(mark)) demand(written.includes(mark) || isTold, "SI18", () => `nobody was asked what ${mark} asks`);
    if (before.task?.turn !== event.turn) return;
    const said = marks.flatMap((mark) => this.meant.statuses.get(mark) ?? []);
    const failed = said.find(({ status }) => status === "failed");
    // An agent that marks it done states success.
    if (said.length === 0 && event.parts.some((part) => "tool" in part && part.tool === "mark_done")) this.#said.delete(before.rootId);
    else if (failed && (!failed.asks || before.task.kind === "task")) this.#said.set(before.rootId, "failed");
    else if (said.length > 0 && !failed) this.#said.set(before.rootId, "success");
  }

  #demandOpen(pos: number): void {
    for (const { task } of this.#closed.filter((one) => one.pos < pos)) {
      const rootId = [...this.#trees.values()].find((tree) => tree.task?.id === task)?.rootId;
      const said = rootId && this.#said.get(rootId);
      demand(said !== "failed", "SI18", () => `task ${task} is closed as a success, and its agent said that it has failed`);
    }
    this.#closed = this.#closed.filter((one) => one.pos >= pos);
  }
}
