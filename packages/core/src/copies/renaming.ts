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
export function renaming({ from, to, stays = () => false }: Renamed): Renaming {
  const [oldMiddle, newMiddle] = [from.slice(-MIDDLE), to.slice(-MIDDLE)];
  const distance = Number.parseInt(to.slice(-2 * MIDDLE, -MIDDLE), 16) | 1;
  const renamed = (id: string) => {
    const end = (Number.parseInt(id.slice(-END), 16) + distance) >>> 0;
    return id.slice(0, TIME) + newMiddle + id.slice(TIME + MIDDLE, -END) + end.toString(16).padStart(END, "0");
  };
  const known = new Map<string, string>([[from, to]]);
  const ids = new RegExp(`(?<![0-9a-f])(?:${from}|[0-9a-f]{${TIME}}${oldMiddle}[0-9a-f]{${REST}})(?![0-9a-f])`, "g");
  return (text) =>
    text.replace(ids, (id) => {
      let name = known.get(id);
      if (name === undefined) known.set(id, (name = stays(id) ? id : renamed(id)));
      return name;
    });
}

/** Digits of an id: the millisecond, the tree, and a random rest, of which `derivedId` changes the end. */
const TIME = 12;
const MIDDLE = 8;
const REST = 12;
const END = 8;
