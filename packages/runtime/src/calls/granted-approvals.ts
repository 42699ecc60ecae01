import { decideGranted, type HeldParts, openApprovals } from "@colloquy/core";
import { type CallId, type CallPart, Fault, isCall, type Line, type RootId, shortId, type TreeEvent } from "@colloquy/schema";
import type { CommittedEvents } from "../engine/commit.ts";
import type { ProjectContext } from "../engine/project-context.ts";

/**
 * Approving similar calls also decides approvals that are already open. The grant's own tree does so in the grant's commit; this
 * decides the others, each in a commit of its tree. Grants and open approvals are both in the log, so a new process finds the rest.
 */
export class GrantedApprovals {
  readonly #context: ProjectContext;
  readonly #deciding = new Set<Promise<void>>();

  constructor(context: ProjectContext) {
    this.#context = context;
  }

  /** Call after a commit that may contain a grant. */
  committed({ events, after }: Pick<CommittedEvents, "events" | "after">): void {
    for (const event of events) {
      if (event.type !== "question.closed" || !event.grant) continue;
      // Its own tree included: an approval may have been asked while the grant was decided.
      for (const rootId of event.grant.scope === "project" ? this.#asking() : [after.rootId]) this.#begin(rootId);
    }
  }

  /** Decides what an earlier process left undecided. */
  takeUp(): void {
    if (this.#context.rulebook.grants().length > 0) for (const rootId of this.#asking()) this.#begin(rootId);
  }

  /** Resolves when no decision is in progress. */
  async over(): Promise<void> {
    while (this.#deciding.size > 0) await Promise.all(this.#deciding);
  }

  /** The calls of a tree that wait for approval, as recorded. */
  async partsIn(rootId: RootId): Promise<HeldParts> {
    const open = (await this.#context.trees.look(rootId, ({ state }) => openApprovals(state))) ?? [];
    const parts = new Map<CallId, CallPart>();
    for (const { call, seq, dialog, agent } of open) {
      // An approval is asked in the commit of its step or, because of a command's effects, after the command has run.
      const [line] = (await this.#context.deps.store.read(rootId, seq - 1, 1)) as readonly Line<TreeEvent>[];
      for (const event of line?.events ?? [])
        if (event.type === "step.ended") for (const part of event.parts) if (isCall(part) && part.call === call) parts.set(call, part);
      if (parts.has(call)) continue;
      const view = await this.#context.trees.look(rootId, (tree) => tree.view(this.#context.deps.store, { dialog, agent }));
      const part = view?.call(call);
      if (part) parts.set(call, part);
    }
    return parts;
  }

  /** Trees that wait for an approval, according to the index. */
  #asking(): readonly RootId[] {
    const { store } = this.#context.deps;
    return store.asking().filter((rootId) => store.entry(rootId)?.questions?.some(({ kind }) => kind === "approval"));
  }

  #begin(rootId: RootId): void {
    const deciding = this.#decide(rootId).catch((error: unknown) => {
      // Left for the next process.
      if (!this.#context.closing.aborted || !(error instanceof Fault)) this.#context.deps.report(error, `dialog ${shortId(rootId)}`);
    });
    this.#deciding.add(deciding);
    void deciding.finally(() => this.#deciding.delete(deciding));
  }

  async #decide(rootId: RootId): Promise<void> {
    const { rulebook, writer } = this.#context;
    const parts = await this.partsIn(rootId);
    if (parts.size > 0) await writer.record(rootId, (tree) => decideGranted(tree, rulebook.grants(), parts, rulebook.rules()));
  }
}
