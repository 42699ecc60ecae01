import {
  applyAll,
  applyToProject,
  type Decision,
  emptyTree,
  entryOf,
  mainDialog,
  projectPart,
  type Taking,
  type Tree,
  treeSnapshot,
} from "@colloquy/core";
import { Fault, type Refusal, type RootId, type TreeEvent } from "@colloquy/schema";
import type { StreamPart } from "@colloquy/store";
import type { Deps } from "./deps.ts";
import type { LiveTree } from "./live-tree.ts";
import type { ProjectStream } from "../watch/project-stream.ts";
import type { Trees } from "./trees.ts";

export type Outcome =
  | { readonly ok: true; readonly seq: number; readonly events: readonly TreeEvent[] }
  | { readonly ok: false; readonly refusal: Refusal };

export type Choose = (tree: Tree, live: LiveTree) => Decision<TreeEvent>;

/** What commits are made with. */
export interface Desk {
  readonly deps: Deps;
  readonly trees: Trees;
  readonly project: ProjectStream;
  readonly onCommitted: (tree: LiveTree, committed: CommittedEvents) => void;
}

/** What has become durable, and the tree before and after it. */
export interface CommittedEvents {
  readonly events: readonly TreeEvent[];
  readonly before: Tree;
  readonly after: Tree;
}

/**
 * Decide, then make it durable; decide again when another writer was first. Every write to a tree takes this road.
 * The decision is made in one go on what is in memory, ahead of the disk if need be; nobody is told before it is durable.
 */
export async function commit(desk: Desk, rootId: RootId, choose: Choose): Promise<Outcome> {
  const { deps, trees, project } = desk;
  const tree = await trees.hold(rootId);
  if (!tree) return { ok: false, refusal: { code: "not_found", message: `There is no dialog ${rootId}.` } };
  try {
    const decision = choose(tree.state, tree);
    if (!decision.ok || decision.events.length === 0) {
      // What the answer rests on may still be on its way to the disk.
      await tree.settled;
      return decision;
    }
    const before = tree.state;
    const { tree: after, at } = decision.after ?? folded(before, decision.events, deps.clock.now());
    const wanted = decision.project ?? [];
    const decided = wanted.reduce((folded, event) => applyToProject(folded, event, at), project.state);
    const forAll = [...wanted, ...projectPart(decided, before, after, decision.events, at, deps.team().limits)];
    const parts = [treePart(before, after, decision.events), ...(forAll.length > 0 ? [project.part(forAll)] : [])];
    const committed = deps.store.commit(parts, at);
    tree.advance(after, decision.events, committed);
    if (forAll.length > 0) project.advance(forAll, at, committed);
    await committed;
    desk.onCommitted(tree, { events: decision.events, before, after });
    return decision;
  } catch (error) {
    trees.drop(tree);
    await project.load();
    if (error instanceof Fault && error.code === "log_conflict") return commit(desk, rootId, choose);
    throw error;
  } finally {
    trees.release(tree);
  }
}

/** A tree begins: one commit over the project's stream and its own. */
export async function makeTree({ deps, trees, project, onCommitted }: Desk, rootId: RootId, taking: Taking): Promise<void> {
  const at = deps.clock.now();
  const { tree: events } = taking;
  const before = emptyTree(rootId);
  const after = applyAll(before, events, at);
  const committed = deps.store.commit([project.part(taking.project), treePart(before, after, events)], at);
  project.advance(taking.project, at, committed);
  const tree = trees.begin(before);
  tree.advance(after, events, committed);
  try {
    await committed;
    onCommitted(tree, { events, before, after });
  } catch (error) {
    trees.drop(tree);
    await project.load();
    throw error;
  } finally {
    trees.release(tree);
  }
}

const folded = (tree: Tree, events: readonly TreeEvent[], at: number) => ({ tree: applyAll(tree, events, at), at });

function treePart(before: Tree, after: Tree, events: readonly TreeEvent[]): StreamPart {
  const entry = entryOf(after);
  return {
    stream: after.rootId,
    expected: before.seq,
    events,
    ...(entry && { entry }),
    course: mainDialog(after)?.course ?? 1,
    checkpoint: () => treeSnapshot(before, 0),
  };
}
