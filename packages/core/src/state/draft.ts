import {
  type AgentId,
  type Command,
  derivedId,
  type DialogId,
  type ProjectEvent,
  QuestionId,
  type TreeEvent,
  type TreeEventOf,
} from "@colloquy/schema";
import { sourceOf } from "../output/question-source.ts";
import { apply } from "./apply.ts";
import type { Decision } from "./decision.ts";
import { commandHash } from "./receipt.ts";
import { type Dialog, isBusy, type Tree } from "./tree.ts";

type QuestionAsked = TreeEventOf<"question.asked">;

/** Who asks. Without a turn, the question concerns the agent as a whole. */
export interface Asker {
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly turn?: number | undefined;
}

/**
 * The fields of a question that do not follow from who asks. `notification` groups questions asked together; by default each has its own.
 */
type NewQuestion = Omit<QuestionAsked, "type" | "course" | "question" | "source" | "sourceId" | "notification" | keyof Asker> &
  Partial<Pick<QuestionAsked, "source" | "sourceId" | "notification">> & { readonly id: string };

/** A decision in progress. Each event is applied as it is added, so the next decision sees its effect. */
export class Draft {
  tree: Tree;
  readonly at: number;
  readonly events: TreeEvent[] = [];
  /** Events for the project's stream in the same commit. */
  readonly project: ProjectEvent[] = [];
  readonly #hash: string | undefined;

  /** `command`: the command being carried out, if any. Its hash identifies repetitions. */
  constructor(tree: Tree, at: number, command?: Command) {
    this.tree = tree;
    this.at = at;
    this.#hash = command?.msgId === undefined ? undefined : commandHash(command);
  }

  add(event: TreeEvent): void {
    const signed = this.#hash !== undefined && "msgId" in event && event.msgId !== undefined ? { ...event, hash: this.#hash } : event;
    this.events.push(signed);
    this.tree = apply(this.tree, signed, this.at);
  }

  /** Asks a person. Every question in a tree is asked here. */
  ask({ dialog, agent, turn }: Asker, { id, notification = derivedId(id, 1), ...rest }: NewQuestion): QuestionId {
    const question = QuestionId.parse(id);
    const asker = { ...this.here(dialog), agent, ...(turn !== undefined && { turn }) };
    this.add({ type: "question.asked", ...asker, question, notification, ...sourceOf(this.tree, dialog), ...rest });
    return question;
  }

  /** The decision with all events added so far. The sender is told the `seq` of the `nth` one. */
  decision(nth = 1): Decision<TreeEvent> {
    const { events, project, tree, at } = this;
    return { ok: true, events, seq: tree.seq - events.length + nth, ...(project.length > 0 && { project }), after: { tree, at } };
  }

  dialog(id: DialogId): Dialog {
    const dialog = this.tree.dialogs.get(id);
    if (!dialog) throw new Error(`no dialog ${id}`);
    return dialog;
  }

  /** The position that events in this dialog carry. */
  here(id: DialogId): { readonly dialog: DialogId; readonly course: number } {
    return { dialog: id, course: this.tree.dialogs.get(id)?.course ?? 1 };
  }

  /** Frees a session that was stopped on behalf of an asker it no longer serves, so that it can take the next assignment. */
  freeSession(id: DialogId): void {
    const dialog = this.dialog(id);
    if (dialog.stopped?.reason.code !== "cascade" || dialog.status !== "running" || isBusy(this.tree, dialog)) return;
    this.add({ type: "dialog.resumed", ...this.here(id) });
  }

  /**
   * A session that has become free starts its next assignment, in the same commit. One from a stopped tree is stopped at once, and
   * continues with its asker.
   */
  takeNext(id: DialogId): void {
    const dialog = this.tree.dialogs.get(id);
    const next = dialog?.waiting[0];
    if (!dialog || next === undefined || dialog.isDead || isBusy(this.tree, dialog)) return;
    this.freeSession(id);
    this.add({ type: "assignment.begun", ...this.here(id), agent: dialog.agent, ask: next });
    const asker = this.tree.asks.get(next)?.from.dialog;
    const stopped = asker === undefined ? undefined : this.tree.dialogs.get(asker)?.stopped;
    if (!stopped?.tree || this.dialog(id).stopped) return;
    this.add({
      type: "dialog.stopped",
      ...this.here(id),
      ...(stopped.by !== undefined && { by: stopped.by }),
      reason: { code: "cascade", message: stopped.reason.message },
      cause: stopped.cause ?? stopped.seq,
    });
  }
}
