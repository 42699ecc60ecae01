import type { Command, DialogId, ProjectEvent, TreeEvent } from "@colloquy/schema";
import { apply } from "./apply.ts";
import type { Decision } from "./decision.ts";
import { commandHash } from "./receipt.ts";
import { type Dialog, isBusy, type Tree } from "./tree.ts";

/** A decision in the making: each event is applied as it is added, so that what follows is decided on top of it. */
export class Draft {
  tree: Tree;
  readonly at: number;
  readonly events: TreeEvent[] = [];
  /** For the project's stream, in the same commit. */
  readonly project: ProjectEvent[] = [];
  readonly #hash: string | undefined;

  /** `command`: that is carried out, if it is one. What its sender may repeat is known by its hash. */
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

  /** Everything that was added. `nth` of it is the sender's word. */
  decision(nth = 1): Decision<TreeEvent> {
    const { events, project, tree, at } = this;
    return { ok: true, events, seq: tree.seq - events.length + nth, ...(project.length > 0 && { project }), after: { tree, at } };
  }

  dialog(id: DialogId): Dialog {
    const dialog = this.tree.dialogs.get(id);
    if (!dialog) throw new Error(`no dialog ${id}`);
    return dialog;
  }

  /** Where an event happens. */
  here(id: DialogId): { readonly dialog: DialogId; readonly course: number } {
    return { dialog: id, course: this.tree.dialogs.get(id)?.course ?? 1 };
  }

  /** A session that stood still for an asker whom it serves no more is there for the next one. */
  freeSession(id: DialogId): void {
    const dialog = this.dialog(id);
    if (dialog.stopped?.reason.code !== "cascade" || dialog.status !== "running" || isBusy(this.tree, dialog)) return;
    this.add({ type: "dialog.resumed", ...this.here(id) });
  }

  /**
   * A session that has become free takes up the next assignment, in the same commit. One that comes from a tree which was
   * stopped stands still at once, and goes on with its asker.
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
