import { AgentView, type Tree, type ViewPlace, viewStart } from "@colloquy/core";
import type { AgentId, DialogId, RootId, TreeEvent } from "@colloquy/schema";
import type { Store } from "@colloquy/store";

type At = { readonly dialog: DialogId; readonly agent: AgentId };
/** `isOwn`: the dialog belongs to that agent. */
export type PlaceOf = (at: At, isOwn: boolean) => ViewPlace;

/** A tree in memory. `state` may be ahead of the disk until `settled` resolves. */
interface Growing {
  readonly state: Tree;
  readonly settled: Promise<unknown>;
}

/** The views of a tree's working agents. The cost of an event depends on the views it concerns, not on the size of the tree. */
export class Views {
  readonly #views = new Map<DialogId, Map<AgentId, AgentView>>();
  readonly #placeOf: PlaceOf;

  constructor(placeOf: PlaceOf) {
    this.#placeOf = placeOf;
  }

  /** Call with events that have just been applied; `tree` is the state after them. */
  receive(tree: Tree, firstSeq: number, events: readonly TreeEvent[]): void {
    events.forEach((event, nth) => {
      const seq = firstSeq + nth;
      // A new dialog is known from its first event: nothing needs to be read.
      if (event.type === "dialog.created") this.#set(event, new AgentView({ ...this.#placeOf(event, true), owner: tree.owner }, seq - 1));
      for (const view of this.#views.get(event.dialog)?.values() ?? []) view.receive(seq, event);
      if (event.type === "ask.opened" && event.to !== event.dialog) {
        for (const view of this.#views.get(event.to)?.values() ?? []) view.receive(seq, event);
      }
      const isOver = event.type === "turn.ended" || (event.type === "step.ended" && event.ends === true);
      if (isOver && tree.dialogs.get(event.dialog)?.status !== "running") this.#views.delete(event.dialog);
    });
  }

  /** Read from the log the first time. */
  async open(store: Store, rootId: RootId, at: At, tree: Growing): Promise<AgentView> {
    const known = this.#views.get(at.dialog)?.get(at.agent);
    if (known) return known;
    await tree.settled;
    const isOwn = tree.state.dialogs.get(at.dialog)?.agent === at.agent;
    const view = new AgentView({ ...this.#placeOf(at, isOwn), owner: tree.state.owner }, viewStart(tree.state, at.dialog, at.agent) - 1);
    // Commits may happen while the log is read: reads on until there is nothing new, and subscribes at that very moment.
    while (view.seq < tree.state.seq) {
      for (const line of await store.read(rootId, view.seq)) {
        line.events.forEach((event, nth) => {
          if (line.seq + nth > view.seq) view.receive(line.seq + nth, event as TreeEvent);
        });
      }
      await tree.settled;
    }
    this.#set(at, view);
    return view;
  }

  /** Drops the view of a request whose step was not committed: the next one is rebuilt from the log. */
  forget({ dialog, agent }: At): void {
    this.#views.get(dialog)?.delete(agent);
  }

  #set({ dialog, agent }: At, view: AgentView): void {
    const known = this.#views.get(dialog);
    if (known) known.set(agent, view);
    else this.#views.set(dialog, new Map([[agent, view]]));
  }
}
