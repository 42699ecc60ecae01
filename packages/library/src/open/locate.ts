import type { Tree } from "@colloquy/core";
import type { DialogId, QuestionId, RootId } from "@colloquy/schema";
import type { Store } from "@colloquy/store";

/** What some digits name. */
export type Located =
  | { readonly kind: "dialog"; readonly rootId: RootId; readonly selfId: DialogId }
  | { readonly kind: "question"; readonly rootId: RootId; readonly question: QuestionId };

export type Look = <T>(rootId: RootId, see: (tree: Tree) => T) => Promise<T | undefined>;

/** Two ways to read trees: one that fails on damage, and one for lists that leaves out what it cannot read. */
export interface Looks {
  readonly look: Look;
  readonly lookPastDamage: Look;
}

/**
 * Main dialogs are in the index, and so are open questions. A whole id within a tree names the tree in its middle; of a side
 * dialog's last digits the running trees are asked, newest first.
 */
export async function locate(store: Store, look: Look, digits: string, limit: number): Promise<readonly Located[]> {
  if (!/^[0-9a-f]{2,64}$/.test(digits)) return [];
  const main = store.find(digits, limit).map((rootId): Located => ({ kind: "dialog", rootId, selfId: rootId as string as DialogId }));
  if (main.length > 0) return main;
  const whole = digits.length === 32 ? store.find(digits.slice(12, 20), 100) : [];
  const trees =
    whole.length > 0
      ? whole
      : store
          .list()
          .filter((entry) => entry.status === "running")
          .map((entry) => entry.rootId);
  const found: Located[] = [];
  for (const rootId of trees) {
    found.push(...((await look(rootId, (tree) => within(tree, digits))) ?? []));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** The tree in which a whole id was made: its middle digits are the last ones of the tree's. Looks at no other tree. */
export async function treeWith(store: Store, look: Look, id: string, has: (tree: Tree) => boolean): Promise<RootId | undefined> {
  if (!/^[0-9a-f]{32}$/.test(id)) return undefined;
  let failure: unknown;
  for (const rootId of store.find(id.slice(12, 20), 100)) {
    if (!rootId.endsWith(id.slice(12, 20))) continue;
    try {
      if (await look(rootId, has)) return rootId;
    } catch (error) {
      failure ??= error; // another tree may end with the same digits
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

function within(tree: Tree, digits: string): Located[] {
  const fits = (id: string) => id.endsWith(digits) || id.startsWith(digits);
  const { rootId } = tree;
  const questions = [...tree.questions.values()]
    .filter((one) => fits(one.id))
    .map((one): Located => ({ kind: "question", rootId, question: one.id }));
  const dialogs = [...tree.dialogs.values()]
    .filter((one) => fits(one.id))
    .map((one): Located => ({ kind: "dialog", rootId, selfId: one.id }));
  return [...questions, ...dialogs];
}
