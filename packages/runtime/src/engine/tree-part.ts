import { entryOf, mainDialog, type Tree, treeSnapshot } from "@colloquy/core";
import type { TreeEvent } from "@colloquy/schema";
import type { StreamPart } from "@colloquy/store";
import type { CommittedEvents } from "./commit.ts";
import type { Deps } from "./deps.ts";

/** A decision's events for its tree, in the store's form. */
export function treePart(deps: Deps, { before, after, events }: CommittedEvents): StreamPart {
  const entry = entryOf(after);
  const isPlaced = deps.store.cluster !== undefined && events.some((event) => usesFiles(deps, event));
  return {
    stream: after.rootId,
    expected: before.seq,
    events,
    ...(entry && { entry }),
    course: mainDialog(after)?.course ?? 1,
    checkpoint: () => treeSnapshot(before, 0),
    ...(hasAskingCall(after) && { isBusy: true }),
    ...(isPlaced && { isPlaced }),
  };
}

/** A running tool waits for a person, so the node that runs it keeps the tree. */
const hasAskingCall = (tree: Tree): boolean => [...tree.openQuestions.keys()].some((id) => tree.questions.get(id)?.fields !== undefined);

/** True if an agent in the tree has tools that work on this node's files. */
function usesFiles({ team }: Deps, event: TreeEvent): boolean {
  const agents = event.type === "dialog.created" ? [event.agent] : event.type === "message.added" ? event.to : [];
  return agents.some((agent) => ["list_dir", "run_command"].some((tool) => team().member(agent)?.tools.has(tool)));
}
