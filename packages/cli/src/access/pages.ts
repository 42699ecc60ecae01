import type { Line, TreeEvent } from "@colloquy/library";
import { LOG_VERSION, type Recorded } from "@colloquy/schema";

/** All pages of a list. */
export async function pages<Page extends { readonly next?: string | undefined }, Item>(
  read: (after: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): Promise<readonly Item[]> {
  const all: Item[] = [];
  for (let after: string | undefined; ;) {
    const page = await read(after);
    all.push(...itemsOf(page));
    if (page.next === undefined) return all;
    after = page.next;
  }
}

/** Events as in the log: one line per commit. */
export function linesOf(events: readonly Recorded[]): readonly Line<TreeEvent>[] {
  const lines: { v: number; pos: number; seq: number; at: string; events: TreeEvent[] }[] = [];
  let isOver = true;
  for (const { seq, pos, at, event, last } of events) {
    if (isOver) lines.push({ v: LOG_VERSION, pos, seq, at, events: [] });
    lines.at(-1)?.events.push(event);
    isOver = last;
  }
  return lines;
}
