// Tells whether git could have some content by looking for its object: fast, and without starting git. "Perhaps" counts as yes.
import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { namesIn, statOf } from "../../identity.ts";

const MAX_PACKS = 200;
const MAGIC = 0xff744f63;
const FANOUT_AT = 8;
const NAMES_AT = FANOUT_AT + 256 * 4;

/** False only if the repository has no object of this name: then no commit, index or stash has that content. */
export function mayHaveObject(gitFolder: string, id: string): boolean {
  const objects = join(gitFolder, "objects");
  // A worktree keeps its objects elsewhere, and some repositories borrow them.
  if (!statOf(objects)?.isDirectory() || statOf(join(objects, "info/alternates"))) return true;
  if (statOf(join(objects, id.slice(0, 2), id.slice(2)))) return true;
  const packs = namesIn(join(objects, "pack"));
  const indexes = packs.filter((name) => name.endsWith(".idx"));
  // A partial clone knows objects that it doesn't have; a multi-pack index may replace the indexes of its packs.
  if (indexes.length > MAX_PACKS || packs.some((name) => name.endsWith(".promisor") || name.startsWith("multi-pack-index"))) return true;
  return indexes.some((name) => mayBeIn(join(objects, "pack", name), Buffer.from(id, "hex")));
}

function mayBeIn(indexFile: string, id: Buffer): boolean {
  let fd: number;
  try {
    fd = openSync(indexFile, "r");
  } catch {
    return true; // Unreadable, or just replaced.
  }
  try {
    const head = Buffer.alloc(NAMES_AT);
    if (readSync(fd, head, 0, NAMES_AT, 0) < NAMES_AT || head.readUInt32BE(0) !== MAGIC || head.readUInt32BE(4) !== 2) return true;
    const [first = 0] = id;
    const countUpTo = (byte: number) => (byte < 0 ? 0 : head.readUInt32BE(FANOUT_AT + byte * 4));
    return isListed(fd, id, countUpTo(first - 1), countUpTo(first));
  } finally {
    closeSync(fd);
  }
}

/** Names are sorted: binary search. */
function isListed(fd: number, id: Buffer, from: number, to: number): boolean {
  const name = Buffer.alloc(id.length);
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (readSync(fd, name, 0, name.length, NAMES_AT + middle * name.length) < name.length) return true;
    const order = name.compare(id);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}
