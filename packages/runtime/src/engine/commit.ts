import { applyAll, applyToProject, type Decision, deletedText, emptyTree, projectPart, type Taking, type Tree } from "@colloquy/core";
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
  if (!tree) return { ok: false, refusal: { code: "not_found", message: deletedText(rootId, project.state) } };
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

/** A tree that begins: with its first events, or with a past of its own. */
export interface Beginning {
  readonly rootId: RootId;
  readonly taking: Taking;
  /** Its past, if it is a copy. */
  readonly before?: Tree;
}

/** Creates a tree: one commit over the project's stream and its own. `before`: its past, if it is a copy. */
export const makeTree = (desk: Desk, rootId: RootId, taking: Taking, before?: Tree): Promise<void> =>
  makeTrees(desk, [{ rootId, taking, ...(before && { before }) }]);

/** Creates trees: one commit over the project's stream and theirs. */
export async function makeTrees({ deps, trees, project, onCommitted }: Desk, beginnings: readonly Beginning[]): Promise<void> {
  const at = deps.clock.now();
  const all = beginnings.map(({ rootId, taking, before = emptyTree(rootId) }) => {
    return { events: taking.tree, before, after: applyAll(before, taking.tree, at) };
  });
  const forProject = beginnings.flatMap(({ taking }) => taking.project);
  const committed = deps.store.commit([project.part(forProject), ...all.map((one) => treePart(deps, one))], at);
  project.advance(forProject, at, committed);
  const begun = all.map((one) => {
    const tree = trees.begin(one.before);
    tree.advance(one.after, one.events, committed);
    return { tree, one };
  });
  try {
    await committed;
    for (const { tree, one } of begun) onCommitted(tree, one);
    // A past need not be folded again in one go; it was folded on its way to the store, a little at a time.
    for (const { tree, one } of begun) if (one.before.seq > 0) await tree.saveSnapshot(deps.store);
  } catch (error) {
    for (const { tree } of begun) trees.drop(tree);
    throw error;
  } finally {
    for (const { tree } of begun) trees.release(tree);
  }
}

const folded = (tree: Tree, events: readonly TreeEvent[], at: number) => ({ tree: applyAll(tree, events, at), at });
