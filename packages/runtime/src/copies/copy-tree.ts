import {
  applyAll,
  type CopiedDocument,
  copiedEvents,
  type Copying,
  decide,
  decideCopy,
  decideCopying,
  emptyTree,
  mainDialog,
  renaming,
  type Tree,
  treeSnapshot,
} from "@colloquy/core";
import { type Command, Fault, type Line, RootId, type TreeEvent } from "@colloquy/schema";
import type { Past, PastLine } from "@colloquy/store";
import { type Desk, makeTree } from "../engine/commit.ts";
import type { Created } from "../engine/commands.ts";
import type { ProjectContext } from "../engine/project-context.ts";

/** What a tree is copied from. Each is read once per attempt. */
export interface CopySource {
  /** The original's lines up to the cut, some at a time. */
  readonly lines: () => AsyncIterable<readonly Line<TreeEvent>[]>;
  readonly blobs: () => Past["blobs"];
  /** The documents that the copy gets for itself. `taskDocPath`: where its Taskdoc is. */
  readonly documents: (taskDocPath: string) => Promise<readonly CopiedDocument[]>;
  /** Further texts to replace in the lines. */
  readonly rename?: (text: string, rootId: RootId) => string;
  /** A command that is carried out in the commit that makes the copy. Ids in it are the original's. */
  readonly first?: Command | undefined;
}

/**
 * Makes a tree from the log of another one: its past is stored first, and counts with the commit that continues it. Repeating a `msgId`
 * returns the same copy.
 */
export async function copyTree(context: ProjectContext, desk: Desk, copying: Copying, source: CopySource): Promise<Created> {
  try {
    return await tryCopy(context, desk, copying, source);
  } catch (error) {
    // Another writer was first, perhaps with the same command.
    if (error instanceof Fault && error.code === "log_conflict") return copyTree(context, desk, copying, source);
    throw error;
  }
}

async function tryCopy(context: ProjectContext, desk: Desk, copying: Copying, source: CopySource): Promise<Created> {
  const { deps, rulebook } = context;
  const { from } = copying;
  const rootId = RootId.parse(deps.newId());
  const decision = decideCopying(desk.project.state, copying, rootId);
  if (decision.kind === "refused") return { ok: false, refusal: decision.refusal };
  if (decision.kind === "known") {
    await desk.project.settled;
    return { ok: true, rootId: decision.rootId, seq: decision.seq };
  }
  const past = new CopiedPast(rootId);
  const ids = renaming({ from, to: rootId, stays: (id) => isTask(desk, id) });
  const { rename: more = (text: string) => text } = source;
  const rename = (text: string) => more(ids(text), rootId);
  await deps.store.stage(rootId, {
    lines: past.folding(source.lines(), (events) => copiedEvents(events, rename)),
    blobs: renamedBlobs(source.blobs(), rename),
  });
  const documents = await source.documents(mainDialog(past.tree)?.taskDocPath ?? "");
  const copied = decideCopy(past.tree, copying, documents, rulebook.rules());
  const first = source.first && (JSON.parse(ids(JSON.stringify(source.first))) as Command);
  const done = first && decide(applyAll(past.tree, copied, deps.clock.now()), first, rulebook.rules());
  if (done && !done.ok) return done;
  const taking = { project: [...decision.project, ...(done?.project ?? [])], tree: [...copied, ...(done?.events ?? [])] };
  await makeTree(desk, rootId, taking, past.tree);
  return { ok: true, rootId, seq: past.tree.seq + 1 };
}

export const isTask = (desk: Desk, id: string): boolean => desk.project.state.tasks.all.has(id);

export async function* renamedBlobs(blobs: Past["blobs"], rename: (text: string) => string): Past["blobs"] {
  for await (const { name, content } of blobs) yield { name: rename(name), content };
}

/** Folds lines on their way to the store. */
export class CopiedPast {
  tree: Tree;

  constructor(rootId: RootId) {
    this.tree = emptyTree(rootId);
  }

  async *folding(
    source: AsyncIterable<readonly Line<TreeEvent>[]>,
    change: (events: readonly TreeEvent[]) => TreeEvent[],
  ): AsyncGenerator<readonly PastLine[]> {
    for await (const lines of source) yield lines.map((line) => this.#folded({ ...line, events: change(line.events) }));
  }

  #folded(line: Line<TreeEvent>): PastLine {
    const before = this.tree;
    this.tree = applyAll(before, line.events, Date.parse(line.at));
    return { line, course: mainDialog(this.tree)?.course ?? 1, checkpoint: () => treeSnapshot(before, 0) };
  }
}
