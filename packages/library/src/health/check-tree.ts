import { emptyTree, entryOf, mainDialog, type Tree, treeProblems } from "@colloquy/core";
import { type Entry, Fault, type Line, type RootId, shortId, type TreeEvent } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import type { Look } from "../open/locate.ts";
import { foldEvent, meaning } from "../open/meaning.ts";
import type { Breath } from "../transfer/breath.ts";

/** The parts of an open project that a check reads. */
export interface Checked {
  readonly store: Store;
  readonly look: Look;
  readonly breath: Breath;
}

export interface TreeCheck {
  /** Sessions in its registry. */
  readonly sessions: number;
  /** For people, each with the tree's name. */
  readonly problems: readonly string[];
}

const PAGE_LINES = 50;
/** A tree that grows faster than it can be read is looked at as far as it was read. */
const MAX_ROUNDS = 5;

/** Folds a tree's log from its first event, and compares with what the process and the index say of it. */
export async function checkTree(checked: Checked, rootId: RootId): Promise<TreeCheck> {
  const { store, look, breath } = checked;
  let tree = emptyTree(rootId);
  try {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const folded = await foldOn(checked, tree);
      if (typeof folded === "string") return { sessions: 0, problems: [folded] };
      tree = folded;
      const known = await look(rootId, (state) => state);
      const entry = store.entry(rootId);
      const isOver = (await store.read(rootId, tree.seq, 1)).length === 0;
      // Nothing was committed since: all three are of the same event.
      if (known && isOver && known.seq === tree.seq)
        return {
          sessions: tree.registry.size,
          problems: (await differences(tree, known, entry, breath)).map((what) => named(rootId, what)),
        };
    }
    return { sessions: tree.registry.size, problems: [...treeProblems(tree)].map((what) => named(rootId, what)) };
  } catch (error) {
    // The store is away or closed: that says nothing of the tree.
    if (error instanceof Fault && error.code !== "log_corrupt") throw error;
    return { sessions: 0, problems: [named(rootId, error instanceof Error ? error.message : String(error))] };
  }
}

const named = (rootId: RootId, what: string): string => `dialog ${shortId(rootId)}: ${what}`;

/** Folds what was committed since; or says what cannot be folded. */
async function foldOn({ store, breath }: Checked, before: Tree): Promise<Tree | string> {
  const { rootId } = before;
  let tree = before;
  for (;;) {
    const lines = (await store.read(rootId, tree.seq, PAGE_LINES)) as readonly Line<TreeEvent>[];
    if (lines.length === 0) return mainDialog(tree) ? tree : named(rootId, "its log is empty");
    for (const { seq, at, events } of lines) {
      for (const event of events.slice(Math.max(0, tree.seq - seq + 1))) {
        try {
          tree = foldEvent(rootId, tree, event, Date.parse(at));
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          const { message } = await store.markDamaged(rootId, tree.seq + 1, error);
          return named(rootId, `event ${tree.seq + 1} cannot be folded: ${why}. ${message}`);
        }
        await breath.pause();
      }
    }
  }
}

async function differences(tree: Tree, known: Tree, entry: Entry | undefined, breath: Breath): Promise<readonly string[]> {
  const found = [...treeProblems(tree)];
  for (const field of Object.keys(tree) as (keyof Tree)[]) {
    if (!(await isSame(tree[field], known[field], breath)))
      found.push(`its state in memory, or the snapshot that it began with, differs from its log in ${field}`);
  }
  const made = entryOf(tree);
  for (const field of ["status", "hot", "due", "questions", "sharing", "unsettled"] as const)
    if (!isEqual(made?.[field], entry?.[field])) found.push(`its entry in the index differs from its log in ${field}`);
  return found;
}

/** Maps are compared by key: their order has no meaning. */
async function isSame(one: unknown, other: unknown, breath: Breath): Promise<boolean> {
  await breath.pause();
  if (!isMap(one) || !isMap(other)) return isEqual(one, other);
  if (one.size !== other.size) return false;
  for (const [key, value] of one.entries()) {
    if (!isEqual(value, other.get(key))) return false;
    await breath.pause();
  }
  return true;
}

/** What a snapshot keeps of a value: a field that is undefined there is absent here, and fields have no order. */
function isEqual(one: unknown, other: unknown): boolean {
  const [text, another] = [JSON.stringify(one), JSON.stringify(other)];
  if (text === another) return true;
  return text !== undefined && another !== undefined && meaning.isSame(JSON.parse(text), JSON.parse(another));
}

const isMap = (value: unknown): value is Tree["questions"] =>
  typeof value === "object" && value !== null && "entries" in value && "size" in value;
