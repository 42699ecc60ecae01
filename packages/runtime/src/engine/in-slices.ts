import type { Clock } from "./deps.ts";

/** So long at a time … */
const SLICE_MS = 5;
/** … and so long a pause behind it: while others are at work they have nearly all of the time. */
const PAUSE_MS = 5;
const BUSY_PAUSE_MS = 95;

/** Background work in slices of a few milliseconds, so that foreground work comes in between. Ends with the signal. */
export async function inSlices<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
  clock: Clock,
  signal: AbortSignal,
  isBusy: () => boolean = () => false,
): Promise<void> {
  let sinceMs = clock.now();
  for (const item of items) {
    if (clock.now() - sinceMs >= SLICE_MS) {
      await clock.sleep(isBusy() ? BUSY_PAUSE_MS : PAUSE_MS, signal).catch(() => undefined);
      sinceMs = clock.now();
    }
    if (signal.aborted) return;
    await work(item);
  }
}
