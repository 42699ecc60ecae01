import { applyAll, applyToProject, type Decision, emptyTree, projectPart, type Taking, type Tree } from "@colloquy/core";
import { Fault, type Refusal, type RootId, type TreeEvent } from "@colloquy/schema";
import type { Deps } from "./deps.ts";
import type { LiveTree } from "./live-tree.ts";
import type { ProjectStream } from "../watch/project-stream.ts";
import { treePart } from "./tree-part.ts";
import type { Trees } from "./trees.ts";

export type Outcome =
  | { readonly ok: true; readonly seq: number; readonly events: readonly TreeEvent[] }
  | { readonly ok: false; readonly refusal: Refusal };

export type Choose = (tree: Tree, live: LiveTree) => Decision<TreeEvent>;

/** What a commit needs. */
export interface Desk {
  readonly deps: Deps;
  readonly trees: Trees;
  readonly project: ProjectStream;
  readonly onCommitted: (tree: LiveTree, committed: CommittedEvents) => void;
}

/** What has become durable, with the tree before and after it. */
export interface CommittedEvents {
  readonly events: readonly TreeEvent[];
  readonly before: Tree;
  readonly after: Tree;
}

/**
 * Decides, then makes it durable; decides again if another writer was first. Every write to a tree goes through here. The decision is
 * synchronous on the state in memory, which may be ahead of the disk; nobody is told before it is durable.
 */
export async function commit(desk: Desk, rootId: RootId, choose: Choose): Promise<Outcome> {
  const { deps, trees, project } = desk;
  const tree = await trees.hold(rootId);
  if (!tree) return { ok: false, refusal: { code: "not_found", message: `There is no dialog ${rootId}.` } };
  try {
    const decision = choose(tree.state, tree);
    if (!decision.ok || decision.events.length === 0) {
      // The answer may depend on events that are still on their way to the disk.
      await tree.settled;
      return decision;
    }
    const before = tree.state;
    const { tree: after, at } = decision.after ?? folded(before, decision.events, deps.clock.now());
    const wanted = decision.project ?? [];
    const decided = wanted.reduce((folded, event) => applyToProject(folded, event, at), project.state);
    const forAll = [...wanted, ...projectPart(decided, { before, after, events: decision.events, at }, deps.team().limits)];
    const parts = [
      treePart(deps, { before, after, events: decision.events }, decision.texts),
      ...(forAll.length > 0 ? [project.part(forAll)] : []),
    ];
    const committed = deps.store.commit(parts, at);
    tree.advance(after, decision.events, committed);
    if (forAll.length > 0) project.advance(forAll, at, committed);
    await committed;
    desk.onCommitted(tree, { events: decision.events, before, after });
    return decision;
  } catch (error) {
    trees.drop(tree);
    if (error instanceof Fault && error.code === "log_conflict") return commit(desk, rootId, choose);
    throw error;
  } finally {
    trees.release(tree);
  }
}

/** Creates a tree: one commit over the project's stream and its own. `before`: its past, if it is a copy. */
export async function makeTree(
  { deps, trees, project, onCommitted }: Desk,
  rootId: RootId,
  taking: Taking,
  before: Tree = emptyTree(rootId),
): Promise<void> {
  const at = deps.clock.now();
  const { tree: events } = taking;
  const after = applyAll(before, events, at);
  const committed = deps.store.commit([project.part(taking.project), treePart(deps, { before, after, events })], at);
  project.advance(taking.project, at, committed);
  const tree = trees.begin(before);
  tree.advance(after, events, committed);
  try {
    await committed;
    onCommitted(tree, { events, before, after });
  } catch (error) {
    trees.drop(tree);
    throw error;
  } finally {
    trees.release(tree);
  }
}

const folded = (tree: Tree, events: readonly TreeEvent[], at: number) => ({ tree: applyAll(tree, events, at), at });
