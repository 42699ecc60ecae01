import type { Clock } from "../engine/deps.ts";

const SLICE_MS = 5;
/** Pause between two slices, so that foreground work gets nearly all of the time while there is any. */
const PAUSE_MS = 5;
const BUSY_PAUSE_MS = 95;

/** When background work may run. */
export interface SliceTimes {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly isBusy?: () => boolean;
}

/** Runs background work in slices of a few milliseconds, so that foreground work comes in between. Ends with the signal. */
export async function inSlices<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
  { clock, signal, isBusy = () => false }: SliceTimes,
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
