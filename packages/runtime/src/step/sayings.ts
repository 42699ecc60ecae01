import type { Sayings } from "@colloquy/core";
import type { RootId, TreeEvent } from "@colloquy/schema";
import type { Store } from "@colloquy/store";

/** The texts of the asks and their responses in these events of a tree. */
export async function readSayings(store: Store, rootId: RootId, seqs: readonly number[]): Promise<Sayings> {
  const sayings = new Map<number, string>();
  for (const seq of new Set(seqs)) {
    const event = await readEvent(store, rootId, seq);
    if (event?.type === "ask.opened" || event?.type === "ask.answered") sayings.set(seq, event.content);
  }
  return sayings;
}

export async function readEvent(store: Store, rootId: RootId, seq: number): Promise<TreeEvent | undefined> {
  const [line] = await store.read(rootId, seq - 1, 1);
  return line?.events[seq - line.seq] as TreeEvent | undefined;
}
