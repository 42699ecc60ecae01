import {
  applyAll,
  type CopiedDocument,
  decideCopy,
  decideCopying,
  mainDialog,
  renaming,
  type Section,
  sectionPath,
  type SignedCommand,
} from "@colloquy/core";
import { Fault, type Line, type Refusal, Refused, RootId, type TreeEvent } from "@colloquy/schema";
import type { Past } from "@colloquy/store";
import { type Documents, fingerprint, linkedDocument } from "../documents/documents.ts";
import { type Beginning, type Desk, makeTrees } from "../engine/commit.ts";
import type { ProjectContext } from "../engine/project-context.ts";
import { CopiedPast, isTask, renamedBlobs } from "./copy-tree.ts";

/** A tree in a file that was checked before. */
export interface TreeInFile {
  readonly from: RootId;
  /** Its last event. */
  readonly at: number;
}

/** What the file has of a tree, read in this order. */
export interface TreeContent extends TreeInFile {
  /** Sections of its Taskdoc, by name. */
  readonly taskdoc: Readonly<Partial<Record<Section, string>>>;
  readonly taskDocPath: string;
  readonly lines: AsyncIterable<readonly Line<TreeEvent>[]>;
  readonly blobs: Past["blobs"];
}

export interface Importing extends SignedCommand {
  readonly trees: readonly TreeInFile[];
  /** Identifies the file. */
  readonly fingerprint: string;
  /** Reads the file once more, from its start. */
  readonly read: () => AsyncIterable<TreeContent>;
}

export type Imported =
  | { readonly ok: true; readonly trees: readonly { readonly from: RootId; readonly rootId: RootId }[] }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * Makes the trees of a file in one commit, under their own ids where these are free. Their pasts are stored first, where nobody sees them.
 * Repeating a `msgId` returns the same trees.
 */
export async function importTrees(context: ProjectContext, desk: Desk, importing: Importing): Promise<Imported> {
  try {
    return await tryImport(context, desk, importing);
  } catch (error) {
    // Another writer was first, perhaps with the same command.
    if (error instanceof Fault && error.code === "log_conflict") return importTrees(context, desk, importing);
    throw error;
  }
}

async function tryImport(context: ProjectContext, desk: Desk, importing: Importing): Promise<Imported> {
  const { deps, rulebook } = context;
  const { trees, by, msgId } = importing;
  const copies = trees.map(({ from, at }, nth) => {
    const rootId = deps.store.has(from) ? RootId.parse(deps.newId()) : from;
    // Each tree has a receipt of its own.
    const own = msgId === undefined || nth === 0 ? msgId : `${msgId}/${nth + 1}`;
    return {
      rootId,
      copying: { as: "import" as const, from, at, by, wish: importing.fingerprint, ...(own !== undefined && { msgId: own }) },
    };
  });
  const decisions = copies.map(({ copying, rootId }) => decideCopying(desk.project.state, copying, rootId));
  const known: { from: RootId; rootId: RootId }[] = [];
  for (const [nth, decision] of decisions.entries()) {
    if (decision.kind === "refused") return { ok: false, refusal: decision.refusal };
    if (decision.kind === "known") known.push({ from: copies[nth]?.copying.from ?? decision.rootId, rootId: decision.rootId });
  }
  if (known.length > 0) {
    await desk.project.settled;
    return { ok: true, trees: known };
  }
  const stays = (id: string) => isTask(desk, id);
  const ids = renaming(...copies.map(({ rootId: to, copying: { from } }) => ({ from, to, stays })));
  const beginnings: Beginning[] = [];
  for await (const content of importing.read()) {
    const copy = copies[beginnings.length];
    const decision = decisions[beginnings.length];
    if (!copy || copy.copying.from !== content.from || decision?.kind !== "made") throw changedMeanwhile();
    const { rootId, copying } = copy;
    const { rename, documents } = taskdocOf(deps.documents, { ...content, target: ids(content.taskDocPath), rootId });
    const past = new CopiedPast(rootId);
    const change = (events: readonly TreeEvent[]) => {
      const text = JSON.stringify(events);
      const renamed = rename(ids(text));
      return renamed === text ? [...events] : (JSON.parse(renamed) as TreeEvent[]);
    };
    await deps.store.stage(rootId, { lines: past.folding(content.lines, change), blobs: renamedBlobs(content.blobs, ids) });
    if (past.tree.seq !== content.at || !mainDialog(past.tree)) throw changedMeanwhile();
    const tree = decideCopy(past.tree, copying, documents, rulebook.rules());
    // A decision that cannot be folded must fail before anything counts.
    applyAll(past.tree, tree, deps.clock.now());
    beginnings.push({ rootId, taking: { project: decision.project, tree }, before: past.tree });
  }
  if (beginnings.length !== copies.length) throw changedMeanwhile();
  await makeTrees(desk, beginnings);
  return { ok: true, trees: copies.map(({ rootId, copying: { from } }) => ({ from, rootId })) };
}

const changedMeanwhile = () => new Refused({ code: "bad_request", message: "The file changed while it was read. Nothing was imported." });

interface Taskdoc extends Pick<TreeContent, "taskdoc" | "taskDocPath"> {
  readonly target: string;
  readonly rootId: RootId;
}

/** A Taskdoc keeps its place, unless another one is there by now: then it gets a place of its own. */
function taskdocOf(documents: Documents, { taskdoc, taskDocPath, target, rootId }: Taskdoc) {
  const link = documents.linkIn(target);
  if (link !== undefined) throw new Refused({ code: "bad_request", message: linkedDocument(target, link) });
  const sections = Object.entries(taskdoc) as [Section, string][];
  const isOther = ([section, text]: [Section, string]) => {
    const found = documents.read(sectionPath(target, section));
    return found !== undefined && found.text !== text;
  };
  const isTaken = sections.some(isOther);
  const path = isTaken ? target.replace(/\.tsk\/?$/, `-${rootId}.tsk/`) : target;
  const missing = sections.filter(([section]) => documents.read(sectionPath(path, section)) === undefined);
  const asDocument = ([section, text]: [Section, string]): CopiedDocument => ({
    path: sectionPath(path, section),
    hash: fingerprint(text),
    text,
  });
  const [before, after] = [inJson(target), inJson(path)];
  return {
    rename: (text: string) => (isTaken && taskDocPath !== "" ? text.replaceAll(before, after) : text),
    documents: missing.map(asDocument),
  };
}

/** The beginning of a JSON string. */
const inJson = (text: string): string => JSON.stringify(text).slice(0, -1);
