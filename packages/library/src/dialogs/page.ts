import type { Tree } from "@colloquy/core";
import type { RootId } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import type { Look } from "../open/locate.ts";

/** A page of a long list. `next`: where the next page begins; absent at the end. */
export interface Page<Item, Place = RootId> {
  readonly items: readonly Item[];
  readonly next?: Place;
}

export interface PageQuery<Status> {
  readonly status?: Status | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** A page of a list that is in memory. */
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

/** The most trees read for one page, whatever they contain. */
const TREES_PER_PAGE = 200;

/** Items picked from each tree, newest tree first. */
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
