import { type RootId, shortId } from "@colloquy/schema";
import type { GrantedApprovals } from "../calls/granted-approvals.ts";
import type { KeptLayers } from "../calls/kept-layers.ts";
import type { DocumentWriter } from "../documents/document-writer.ts";
import { letGoOfLostTrees } from "../team/lost-trees.ts";
import type { SharedQuestions } from "../team/shared-questions.ts";
import type { ProjectStream } from "../watch/project-stream.ts";
import type { Driver } from "./driver.ts";
import type { ProjectContext } from "./project-context.ts";

/** The parts whose work may have been interrupted. */
interface RecoveryParts {
  readonly project: ProjectStream;
  readonly driver: Driver;
  readonly documents: DocumentWriter;
  readonly layers: KeptLayers;
  readonly shared: SharedQuestions;
  readonly granted: GrantedApprovals;
}

/** Resumes what an earlier process left unfinished. */
export class Recovery {
  readonly #context: ProjectContext;
  readonly #parts: RecoveryParts;
  readonly #takenUp = new Set<RootId>();
  #hasLookedForLost = false;

  constructor(context: ProjectContext, parts: RecoveryParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** After a crash: true while some tree that had work hasn't been resumed. */
  get isUnfinished(): boolean {
    const { store } = this.#context.deps;
    if (store.cluster) return false; // the tree itself says it, to the node that takes it
    return store.crashed && store.hot().some((rootId) => !this.#takenUp.has(rootId));
  }

  /** Resumes unfinished work in one tree, or in all. */
  async takeUp(only?: RootId): Promise<void> {
    const { project, layers, shared, granted } = this.#parts;
    const { store } = this.#context.deps;
    if (!this.#hasLookedForLost) {
      this.#hasLookedForLost = true;
      await letGoOfLostTrees(this.#context, project);
      await layers.takeUp();
    }
    shared.takeUp();
    if (only === undefined) granted.takeUp();
    // If nodes share the store, each resumes the trees that it claims.
    if (only === undefined && store.cluster) return;
    await this.takeUpTrees(only ? [only] : store.hot(), store.crashed);
  }

  /** Resumes these trees. `isInterrupted`: their last driver died in the middle of something. */
  async takeUpTrees(rootIds: readonly RootId[], isInterrupted: boolean): Promise<void> {
    const { driver, documents, layers } = this.#parts;
    const { report } = this.#context.deps;
    for (const rootId of rootIds) {
      this.#takenUp.add(rootId);
      await documents.settle(rootId).catch((error: unknown) => report(error, `documents of ${shortId(rootId)}`));
      await layers.takeUpUndos(rootId).catch((error: unknown) => report(error, `dialog ${shortId(rootId)}`));
      await driver.takeUp(rootId, isInterrupted).catch((error: unknown) => report(error, `dialog ${shortId(rootId)}`));
    }
  }

  /** Another node died: finishes what it had begun across several trees. */
  finishForOthers(): void {
    this.#parts.shared.takeUp();
    this.#parts.granted.takeUp();
  }
}
