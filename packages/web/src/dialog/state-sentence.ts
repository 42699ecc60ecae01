import type { Words } from "../words.ts";
import type { Loaded } from "./dialog-column.tsx";

type DialogNode = NonNullable<Loaded["tree"]>;

export function nodeOf(tree: DialogNode | undefined, selfId: string): DialogNode | undefined {
  if (!tree || tree.selfId === selfId) return tree;
  for (const child of tree.children) {
    const found = nodeOf(child, selfId);
    if (found?.selfId === selfId) return found;
  }
  return undefined;
}

/** The path from the main dialog down to this one. */
export function pathTo(tree: DialogNode | undefined, selfId: string): readonly DialogNode[] {
  if (!tree) return [];
  if (tree.selfId === selfId) return [tree];
  for (const child of tree.children) {
    const below = pathTo(child, selfId);
    if (below.length > 0) return [tree, ...below];
  }
  return [];
}

/** If nothing below a dialog is working and one of its recipients asks a person: the path to it, and the question. */
export function asksThrough({
  view,
  tree,
}: Loaded): { readonly path: readonly DialogNode[]; readonly id: string; readonly headline: string } | undefined {
  const here = nodeOf(tree, view.selfId);
  if (view.state !== "waiting" || !here || here.selfId !== view.selfId) return undefined;
  const below = allOf(here);
  const asker = below.some(({ state }) => state === "working") ? undefined : below.find(({ questions }) => questions.length > 0);
  const [question] = asker?.questions ?? [];
  return asker && question && { path: pathTo(here, asker.selfId).slice(1), id: question.id, headline: question.headline };
}

export const allOf = (node: DialogNode): readonly DialogNode[] => [node, ...node.children.flatMap(allOf)];

/** A dialog's state in a sentence. Live activity takes precedence over recorded state. */
export function stateSentence({ view, live, tree }: Loaded, words: Words, name: (agentId: string) => string): string {
  const say = words.stateSentence;
  const agent = name(view.agentId);
  const run = live.findLast(({ selfId }) => selfId === view.selfId);
  const tool = run?.tools.at(-1)?.tool ?? view.currentTool;
  const retry = run?.retry?.message;
  if (view.stopped) return say.stopped(view.stopped.message);
  if (retry !== undefined) return say.retry(retry);
  if (tool !== undefined) return say.tool(agent, tool);
  if (run) return run.segments.at(-1)?.kind === "saying" ? say.writing(name(run.agent)) : say.thinking(name(run.agent));
  switch (view.state) {
    case "working":
      return say.working(agent);
    case "asking":
      return say.waitsForYou(agent);
    case "waiting": {
      const whom = nodeOf(tree, view.selfId)?.waitsFor ?? view.pending.map(({ agentId }) => agentId);
      const names = [...new Set(whom)].map((one) => (one === "person" ? say.person : name(one)));
      return names.length > 0 ? say.waitsFor(agent, names) : say.working(agent);
    }
    case "done":
      return say.done;
    case "archived":
      return say.archived;
    case "dead":
      return say.dead;
    case "interrupted":
      return say.interrupted;
    case "stopped":
    case "idle":
      return say.idle(agent);
  }
}
