import type { RootId } from "@colloquy/schema";

/** Replaces ids in a text. */
export type Renaming = (text: string) => string;

export interface Renamed {
  readonly from: RootId;
  readonly to: RootId;
  /** Ids that were made in the tree and belong to the project, such as those of tasks. They stay. */
  readonly stays?: (id: string) => boolean;
}

/**
 * Gives every id that was made in a tree a new one: its middle names the new tree, and its end moves by a distance that is the same for all,
 * so that ids derived from others still are (see `derivedId`). An id that an agent wrote into a text is replaced as well.
 */
export function renaming(...trees: readonly Renamed[]): Renaming {
  const moved = trees.filter(({ from, to }) => from !== to);
  if (moved.length === 0) return (text) => text;
  const known = new Map<string, string>(moved.map(({ from, to }) => [from, to]));
  const byMiddle = new Map(moved.map((tree) => [tree.from.slice(-MIDDLE), tree]));
  return (text) =>
    text.replace(IDS, (id) => {
      const name = known.get(id) ?? newName(id, byMiddle.get(id.slice(TIME, TIME + MIDDLE)));
      if (name !== id) known.set(id, name);
      return name;
    });
}

/** `tree`: where it was made, as far as its digits say. */
function newName(id: string, tree: Renamed | undefined): string {
  if (!tree || id.length !== ID || tree.stays?.(id)) return id;
  const distance = Number.parseInt(tree.to.slice(-2 * MIDDLE, -MIDDLE), 16) | 1;
  const end = (Number.parseInt(id.slice(-END), 16) + distance) >>> 0;
  return id.slice(0, TIME) + tree.to.slice(-MIDDLE) + id.slice(TIME + MIDDLE, -END) + end.toString(16).padStart(END, "0");
}

/** Was this id made in the tree, as far as its digits say? */
export const isOfTree = (id: string, rootId: RootId): boolean =>
  id === (rootId as string) || (id.length === ID && id.slice(TIME, TIME + MIDDLE) === rootId.slice(-MIDDLE));

/** A tree made from a Nostr event has that event's 64 digits. */
const IDS = /(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{32})(?![0-9a-f])/g;

/** Digits of an id: the millisecond, the tree, and a random rest, of which `derivedId` changes the end. */
const ID = 32;
const TIME = 12;
const MIDDLE = 8;
const END = 8;
