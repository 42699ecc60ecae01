import type { StreamId } from "@colloquy/schema";
import type { Store } from "@colloquy/store";

/** The last `seq` of a stream that was committed at or before `pos`, found without reading the stream. `from`: where its own commits begin. */
export async function firstAfter(store: Store, stream: StreamId, pos: number, from = 1): Promise<number> {
  if (pos === 0) return 0;
  const isBefore = async (seq: number): Promise<number | undefined> => {
    const [line] = await store.read(stream, seq - 1, 1);
    return line && line.pos <= pos ? line.seq + line.events.length - 1 : undefined;
  };
  let known = from - 1;
  let beyond: number | undefined;
  // First by leaps, then by halves.
  for (let leap = 1; beyond === undefined; leap *= 2) {
    const last = await isBefore(known + leap);
    if (last === undefined) beyond = known + leap;
    else known = last;
  }
  while (beyond - known > 1) {
    const middle = Math.floor((known + beyond) / 2);
    const last = await isBefore(middle);
    if (last === undefined) beyond = middle;
    else known = last;
  }
  return known;
}
