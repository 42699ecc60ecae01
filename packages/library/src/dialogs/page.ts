import type { Tree } from "@colloquy/core";
import type { RootId } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import type { Look } from "../open/locate.ts";

/** A part of a long list. `next`: the place to go on from; absent at the end. */
export interface Page<Item, Place = RootId> {
  readonly items: readonly Item[];
  readonly next?: Place;
}

export interface PageQuery<Status> {
  readonly status?: Status | undefined;
  /** Where the part before this one ended: its `next`. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** A part of a list that is there as a whole. */
export function partOf<Item extends { readonly id: string }>(
  all: readonly Item[],
  after: string | undefined,
  limit: number,
): Page<Item, Item["id"]> {
  const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const items = all.slice(from, from + limit);
  const last = from + limit < all.length ? items.at(-1)?.id : undefined;
  return { items, ...(last !== undefined && { next: last }) };
}

/** Of a long list this many trees are looked at for one page, whatever is found in them. */
const TREES_PER_PAGE = 200;

/** What is picked from each tree, the newest tree first. */
export async function pageOf<Item>(
  store: Pick<Store, "list">,
  look: Look,
  { after, limit = 100 }: PageQuery<never>,
  pick: (tree: Tree) => readonly Item[],
): Promise<Page<Item>> {
  const items: Item[] = [];
  const trees = store.list({ limit: TREES_PER_PAGE, ...(after !== undefined && { after: after as RootId }) });
  for (const { rootId } of trees) {
    items.push(...((await look(rootId, pick)) ?? []));
    if (items.length >= limit) return { items, next: rootId };
  }
  const last = trees.length === TREES_PER_PAGE ? trees.at(-1)?.rootId : undefined;
  return { items, ...(last !== undefined && { next: last }) };
}
