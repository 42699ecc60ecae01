import { type DialogId, mainDialogOf, shortId } from "@colloquy/schema";
import { type Tree, turnAt } from "./tree.ts";

/** What cannot be true of a tree, whatever happened in it: for a check of the log, not for decisions. */
export function treeProblems(tree: Tree): readonly string[] {
  return [...hierarchyProblems(tree), ...askProblems(tree), ...registryProblems(tree), ...questionProblems(tree)];
}

function* hierarchyProblems({ rootId, dialogs, runs }: Tree): Iterable<string> {
  for (const [key, { id, side }] of dialogs.entries()) {
    if (key !== id) yield `dialog ${shortId(id)} is kept as ${key}`;
    const isMain = id === mainDialogOf(rootId);
    if (isMain !== (side === undefined))
      yield `dialog ${shortId(id)} is ${isMain ? "the main one and has" : "a side dialog without"} an asker`;
    if (side && !dialogs.has(side.asker)) yield `dialog ${shortId(id)} belongs under ${shortId(side.asker)}, which does not exist`;
  }
  for (const { dialog } of runs.values()) if (!dialogs.has(dialog)) yield `a run of ${shortId(dialog)}, which does not exist`;
}

function* askProblems(tree: Tree): Iterable<string> {
  for (const { id, from, to } of tree.asks.values()) {
    for (const dialog of [from.dialog, to])
      if (!tree.dialogs.has(dialog)) yield `the ask ${id} names ${shortId(dialog)}, which does not exist`;
    if (!turnAt(tree, from)) yield `the ask ${id} is waited for by a turn that is over`;
  }
}

function* registryProblems({ registry, dialogs }: Tree): Iterable<string> {
  for (const [key, { dialog, agent, slug }] of registry.entries()) {
    const found = dialogs.get(dialog);
    if (key !== `${agent}!${slug}`) yield `the session ${agent}!${slug} is registered as ${key}`;
    if (!found) yield `the session ${key} is held by ${shortId(dialog)}, which does not exist`;
    else if (found.side?.session !== slug)
      yield `the session ${key} is held by ${shortId(dialog)}, which is session ${found.side?.session ?? "none"}`;
    else if (found.isDead || found.isEnded) yield `the session ${key} is held by ${shortId(dialog)}, which is over`;
  }
}

function* questionProblems(tree: Tree): Iterable<string> {
  const { questions, openQuestions, dialogs } = tree;
  const open = new Set([...questions.values()].filter(({ status }) => status === "open").map(({ id }) => id as string));
  for (const id of open) if (!openQuestions.has(id)) yield `the open question ${shortId(id)} is not listed`;
  const listedBy = new Map<string, DialogId>();
  for (const dialog of dialogs.values()) for (const id of dialog.questions) listedBy.set(id, dialog.id);
  for (const id of openQuestions.keys()) {
    const question = questions.get(id);
    if (!open.has(id) || !question) yield `the question ${shortId(id)} is listed as open`;
    else if (listedBy.get(id) !== question.dialog) yield `the open question ${shortId(id)} is not listed in its dialog`;
  }
  for (const id of listedBy.keys()) if (!openQuestions.has(id)) yield `a dialog waits for the question ${shortId(id)}, which is closed`;
}
