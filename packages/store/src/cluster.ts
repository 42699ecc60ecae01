import type { RootId } from "@colloquy/schema";

/** A process that shares the store with others. */
export interface NodeInfo {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** Where its working files are: nodes of one place see the same ones. */
  readonly place: string;
  /** Where its server answers, if it has one. */
  readonly url: string | undefined;
  /** Of Colloquy; undefined for a version that does not say. */
  readonly version: string | undefined;
  readonly since: string;
  /** How many trees it drives. */
  readonly trees: number;
  /** Its lease is not over. */
  readonly isAlive: boolean;
  readonly isThis: boolean;
}

export interface ClusterListener {
  /** This node drives these trees from now on. `isInterrupted`: their last owner died in the middle of something. */
  claimed(rootIds: readonly RootId[], isInterrupted: boolean): void;
  /** This node must stop driving what it drove: it lost its session, or the trees have another owner. */
  lost(rootIds: readonly RootId[]): void;
  /** Another node died: what it left half done must be finished. */
  died(): void;
}

/**
 * How several nodes share one store: each of them commits to any tree, and the owner of a tree drives it. A commit to an idle tree
 * claims it; a commit to a busy one leaves its owner, which hears of it.
 */
export interface Cluster {
  /** May this node drive the tree now? */
  owns(rootId: RootId): boolean;
  /** Resolves when everything is known that any node committed before the call. */
  catchUp(): Promise<void>;
  /** Returns an unsubscribe function. */
  listen(listener: ClusterListener): () => void;
  /** Claims no more, and gives these trees to the other nodes. */
  handOver(rootIds: readonly RootId[]): Promise<void>;
  nodes(): Promise<readonly NodeInfo[]>;
  /** Tells the other nodes where this node's server answers. */
  announce(url: string): Promise<void>;
  /** Known to the nodes alone: by it they recognise each other. */
  readonly secret: string;
}
