import type { Tree } from "@colloquy/core";
import { type DialogAddress, mainAddress, type QuestionId, type RootId } from "@colloquy/schema";
import type { Store } from "@colloquy/store";

/** What some digits name. */
export type Located =
  | (DialogAddress & { readonly kind: "dialog" })
  | { readonly kind: "question"; readonly rootId: RootId; readonly question: QuestionId };

export type Look = <T>(rootId: RootId, see: (tree: Tree) => T) => Promise<T | undefined>;

/** Two ways to read trees: one that fails on damage, and one for lists that leaves out what it cannot read. */
export interface Looks {
  readonly look: Look;
  readonly lookPastDamage: Look;
}

/** Where nodes share the store, something unknown may just have been committed by another: it is looked for again once that is known. */
async function sought<Found>({ cluster }: Store, seek: () => Promise<Found | undefined>): Promise<Found | undefined> {
  const found = await seek();
  if (found !== undefined || !cluster) return found;
  await cluster.catchUp();
  return seek();
}

/**
 * Main dialogs and open questions are in the index. The middle of a whole id names its tree; for the last digits of a side
 * dialog's id, running trees are searched, newest first.
 */
export async function locate(store: Store, look: Look, digits: string, limit: number): Promise<readonly Located[]> {
  if (!/^[0-9a-f]{2,64}$/.test(digits)) return [];
  return (await sought(store, () => locatedNow(store, look, digits, limit))) ?? [];
}

async function locatedNow(store: Store, look: Look, digits: string, limit: number): Promise<readonly Located[] | undefined> {
  const main = store.find(digits, limit).map((rootId): Located => ({ kind: "dialog", ...mainAddress(rootId) }));
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
  return found.length > 0 ? found.slice(0, limit) : undefined;
}

/** The tree in which a whole id was made: its middle digits are the last ones of the tree's. Looks at no other tree. */
export async function treeWith(store: Store, look: Look, id: string, has: (tree: Tree) => boolean): Promise<RootId | undefined> {
  return /^[0-9a-f]{32}$/.test(id) ? sought(store, () => treeNowWith(store, look, id, has)) : undefined;
}

async function treeNowWith(store: Store, look: Look, id: string, has: (tree: Tree) => boolean): Promise<RootId | undefined> {
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
