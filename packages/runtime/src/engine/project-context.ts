import { type RootId, shortId } from "@colloquy/schema";
import type { Deps } from "./deps.ts";
import type { LiveTree } from "./live-tree.ts";
import type { Rulebook } from "./rulebook.ts";
import type { Trees } from "./trees.ts";
import type { Writer } from "./writer.ts";

/** What every part of the runtime works with: the outside world, the settings, the trees in memory and the one path for writes. */
export interface ProjectContext {
  readonly deps: Deps;
  readonly rulebook: Rulebook;
  readonly trees: Trees;
  readonly writer: Writer;
  /** Aborted when the project closes: no new work starts. */
  readonly closing: AbortSignal;
}

/** Where several nodes share the store, the owner of a tree drives it. */
export const mayDrive = ({ deps }: Pick<ProjectContext, "deps">, rootId: RootId): boolean => deps.store.cluster?.owns(rootId) ?? true;

/** Undefined if the tree doesn't exist or can't be read: the reason is reported, and other trees continue. */
export async function holdOrReport({ trees, deps, closing }: ProjectContext, rootId: RootId): Promise<LiveTree | undefined> {
  try {
    return await trees.hold(rootId);
  } catch (error) {
    if (!closing.aborted) deps.report(error, `dialog ${shortId(rootId)}`);
    return undefined;
  }
}
