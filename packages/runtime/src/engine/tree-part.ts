import { entryOf, mainDialog, type Tree, treeSnapshot } from "@colloquy/core";
import type { TreeEvent } from "@colloquy/schema";
import type { DocumentSwap, StreamPart } from "@colloquy/store";
import type { CommittedEvents } from "./commit.ts";
import type { Deps } from "./deps.ts";

/** A decision's events for its tree, in the store's form. `texts`: of documents whose change does not hold them. */
export function treePart(deps: Deps, { before, after, events }: CommittedEvents, texts?: ReadonlyMap<string, string>): StreamPart {
  const entry = entryOf(after);
  const documents = deps.store.documents ? events.flatMap((event) => swapOf(event, texts)) : [];
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
    ...(documents.length > 0 && { documents }),
  };
}

function swapOf(event: TreeEvent, texts?: ReadonlyMap<string, string>): readonly DocumentSwap[] {
  if (event.type !== "document.changed") return [];
  const { path, from, to, content } = event;
  return [{ path, from, to, text: content ?? texts?.get(path) }];
}

/** A running tool waits for a person, so the node that runs it keeps the tree. */
const hasAskingCall = (tree: Tree): boolean => [...tree.openQuestions.keys()].some((id) => tree.questions.get(id)?.fields !== undefined);

/** True if an agent in the tree has tools that work on this node's files. */
function usesFiles({ team }: Deps, event: TreeEvent): boolean {
  const agents = event.type === "dialog.created" ? [event.agent] : event.type === "message.added" ? event.to : [];
  return agents.some((agent) => ["list_dir", "run_command"].some((tool) => team().member(agent)?.tools.has(tool)));
}
