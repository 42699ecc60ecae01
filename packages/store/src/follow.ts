import type { Line, StreamId } from "@colloquy/schema";
import type { Store } from "./store.ts";

/**
 * A stream from `after` on and then as it grows: every line once, in order. Old and new take one path: listen first, read what is there,
 * then continue with what was heard meanwhile. Ends when the signal is aborted.
 */
export async function* follow(store: Store, stream: StreamId, after: number, signal: AbortSignal): AsyncGenerator<Line, void, undefined> {
  let heard: Line[] = [];
  let wake = () => {};
  const stop = store.watch(({ lines }) => {
    for (const one of lines) if (one.stream === stream) heard.push(one.line);
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    let seq = after;
    const isNew = (line: Line) => line.seq + line.events.length - 1 > seq;
    let lines: readonly Line[] = await store.read(stream, after);
    while (!signal.aborted) {
      for (const line of lines) {
        if (!isNew(line)) continue;
        seq = line.seq + line.events.length - 1;
        yield line;
      }
      if (heard.length === 0 && !signal.aborted) await new Promise<void>((go) => (wake = go));
      lines = heard;
      heard = [];
    }
  } finally {
    stop();
    signal.removeEventListener("abort", onAbort);
  }
}
