import {
  apply,
  applyToProject,
  emptyProject,
  emptyTree,
  entryOf,
  mainDialog,
  projectionsOf,
  REDUCER_VERSION,
  responseFile,
  sayingsIn,
  type Tree,
  treeFrom,
  treeSnapshot,
} from "@colloquy/core";
import { type Line, mainDialogOf, PROJECT_STREAM, ProjectEvent, type RootId, TreeEvent } from "@colloquy/schema";
import type { Opened, Projection } from "@colloquy/store";
import type { Folded, Meaning } from "@colloquy/store-file";
import { missingFromProject } from "./missing-from-project.ts";
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";

/** Checks every event of a project's streams against its schema, for a thorough inspection of a closed project. */
export const meaning: Meaning = {
  reducer: REDUCER_VERSION,
  fold: (stream, opened, at) => (stream === PROJECT_STREAM ? foldProject(opened) : foldTree(stream, opened, at)),
  missingFromProject,
  isSame: (one, other) => isDeepStrictEqual(sorted(one), sorted(other)),
};

function foldTree(rootId: RootId, { base, lines }: Opened, at: ReadonlySet<number>): Folded {
  const states = new Map<number, unknown>();
  let tree = base ? treeFrom(base, rootId) : emptyTree(rootId);
  const flaw = firstFlaw(lines, (line) => {
    let next = tree;
    const fresh = line.events.slice(Math.max(0, tree.seq - line.seq + 1));
    for (const event of fresh) next = foldEvent(rootId, next, event, Date.parse(line.at));
    tree = next;
    if (at.has(tree.seq)) states.set(tree.seq, JSON.parse(JSON.stringify(treeSnapshot(tree, 0).state)));
  });
  return { flaw, entry: entryOf(tree), files: flaw ? [] : filesOf(tree, lines), states };
}

/** Throws with the reason why it does not fit. */
export function foldEvent(rootId: RootId, tree: Tree, event: unknown, at: number): Tree {
  const read = TreeEvent.safeParse(event);
  if (!read.success) throw new Error(whyNot(event, read.error));
  if (!tree.dialogs.has(mainDialogOf(rootId)) && read.data.dialog !== mainDialogOf(rootId)) throw new Error("it is of another tree");
  const after = apply(tree, event as TreeEvent, at);
  if (!after.dialogs.has(read.data.dialog)) throw new Error(`there is no dialog ${read.data.dialog} in its tree`);
  return after;
}

function foldProject({ base, lines }: Opened): Folded {
  let project = emptyProject();
  const flaw = firstFlaw(base ? [] : lines, (line) => {
    for (const event of line.events) {
      const read = ProjectEvent.safeParse(event);
      if (!read.success) throw new Error(whyNot(event, read.error));
      project = applyToProject(project, event as ProjectEvent, Date.parse(line.at));
    }
  });
  return { flaw, files: [], states: new Map() };
}

function firstFlaw(lines: readonly Line[], fold: (line: Line) => void): Folded["flaw"] {
  for (const [line, one] of lines.entries()) {
    try {
      if (Number.isNaN(Date.parse(one.at))) throw new Error(`"${one.at}" is not a time`);
      fold(one);
    } catch (error) {
      return { line, why: error instanceof Error ? error.message : String(error) };
    }
  }
  return undefined;
}

function whyNot(event: unknown, error: z.ZodError): string {
  const type = event !== null && typeof event === "object" && "type" in event ? event.type : undefined;
  const [first] = error.issues;
  // Problems in a nested union are named by its path.
  if (typeof type !== "string" || (first?.code === "invalid_union" && (first.path[0] ?? "type") === "type"))
    return `there is no event ${JSON.stringify(type ?? event) ?? "undefined"}`;
  return `${first?.path.join(".") ?? ""} of its ${type} is not as it should be`;
}

function filesOf(tree: Tree, lines: readonly Line[]): readonly Projection[] {
  if (!mainDialog(tree)) return [];
  const eventAt = (seq: number): TreeEvent | undefined => {
    const line = lines.findLast((one) => one.seq <= seq);
    return line?.events[seq - line.seq] as TreeEvent | undefined;
  };
  const dialogs = [...tree.dialogs.values()];
  const sayings = new Map(
    dialogs
      .flatMap((dialog) => sayingsIn(tree, dialog))
      .flatMap((seq) => {
        const event = eventAt(seq);
        return event?.type === "ask.opened" || event?.type === "ask.answered" ? [[seq, event.content] as const] : [];
      }),
  );
  const responses = dialogs.flatMap((dialog) => {
    const event = dialog.response && eventAt(dialog.response.seq);
    return event?.type === "ask.answered" ? [responseFile(dialog, event)] : [];
  });
  return [...projectionsOf(tree, sayings), ...responses];
}

/** Sorts objects and maps by key, because insertion order has no meaning. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(sorted);
    const isMap = items.length > 0 && items.every((one) => Array.isArray(one) && one.length === 2 && typeof one[0] === "string");
    return isMap ? (items as [string, unknown][]).toSorted(([a], [b]) => (a < b ? -1 : 1)) : items;
  }
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, one]) => [key, sorted(one)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}
