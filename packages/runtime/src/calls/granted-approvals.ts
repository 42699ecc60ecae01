import { decideGranted, type HeldParts, openApprovals } from "@colloquy/core";
import { type CallId, type CallPart, Fault, isCall, type Line, type RootId, shortId, type TreeEvent } from "@colloquy/schema";
import type { CommittedEvents } from "../engine/commit.ts";
import type { Engine } from "../engine/engine.ts";

/**
 * Approving the like also decides what is waiting for approval already. The tree of the grant does so in the grant's own commit; this
 * decides the others, each in a commit of its tree. Grants and open approvals are both in the log, so a new process finds what is left.
 */
export class GrantedApprovals {
  readonly #engine: Engine;
  readonly #deciding = new Set<Promise<void>>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** A commit may have given a grant. */
  committed({ events, after }: Pick<CommittedEvents, "events" | "after">): void {
    for (const event of events) {
      if (event.type !== "question.closed" || !event.grant) continue;
      // Also in its own tree: something may have been asked while the grant was decided.
      for (const rootId of event.grant.scope === "project" ? this.#asking() : [after.rootId]) this.#begin(rootId);
    }
  }

  /** Decides what an earlier process left open. */
  takeUp(): void {
    if (this.#engine.rulebook.grants().length > 0) for (const rootId of this.#asking()) this.#begin(rootId);
  }

  /** Resolves when nothing is being decided any more. */
  async over(): Promise<void> {
    while (this.#deciding.size > 0) await Promise.all(this.#deciding);
  }

  /** The calls that wait for approval in a tree, as they were recorded. */
  async partsIn(rootId: RootId): Promise<HeldParts> {
    const open = (await this.#engine.look(rootId, ({ state }) => openApprovals(state))) ?? [];
    const parts = new Map<CallId, CallPart>();
    for (const { call, seq, dialog, agent } of open) {
      // An approval is asked in the commit of its step, or, by what a command did, when it has run.
      const [line] = (await this.#engine.deps.store.read(rootId, seq - 1, 1)) as readonly Line<TreeEvent>[];
      for (const event of line?.events ?? [])
        if (event.type === "step.ended") for (const part of event.parts) if (isCall(part) && part.call === call) parts.set(call, part);
      if (parts.has(call)) continue;
      const view = await this.#engine.look(rootId, (tree) => tree.view(this.#engine.deps.store, { dialog, agent }));
      const part = view?.call(call);
      if (part) parts.set(call, part);
    }
    return parts;
  }

  /** Trees that wait for an approval, as the index says. */
  #asking(): readonly RootId[] {
    const { store } = this.#engine.deps;
    return store.asking().filter((rootId) => store.entry(rootId)?.questions?.some(({ kind }) => kind === "approval"));
  }

  #begin(rootId: RootId): void {
    const deciding = this.#decide(rootId).catch((error: unknown) => {
      // Left for the next process.
      if (!this.#engine.isClosing || !(error instanceof Fault)) this.#engine.deps.report(error, `dialog ${shortId(rootId)}`);
    });
    this.#deciding.add(deciding);
    void deciding.finally(() => this.#deciding.delete(deciding));
  }

  async #decide(rootId: RootId): Promise<void> {
    const engine = this.#engine;
    const parts = await this.partsIn(rootId);
    if (parts.size > 0)
      await engine.writer.record(rootId, (tree) => decideGranted(tree, engine.rulebook.grants(), parts, engine.rulebook.rules()));
  }
}
