import { readPromised, type StandardSchema } from "@colloquy/runtime";
import { type DialogView, Refused, type RootId } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import { unlessAborted } from "./unless-aborted.ts";

/** The parts of an open project from which a dialog's end is read. */
interface ResultSource {
  quiet(rootId: RootId, signal?: AbortSignal): Promise<boolean>;
  view(rootId: RootId): Promise<DialogView>;
  lastWords(rootId: RootId): Promise<string>;
}

/** The last words of a main dialog, once it has nothing open. */
export async function resultOf(source: ResultSource, store: Pick<Store, "watch">, rootId: RootId, signal?: AbortSignal): Promise<string> {
  for (;;) {
    signal?.throwIfAborted();
    // Listen before looking, so that nothing in between is missed.
    const { changed, stop } = nextCommit(store, rootId);
    try {
      await source.quiet(rootId, signal);
      signal?.throwIfAborted();
      const view = await source.view(rootId);
      if (view.stopped) throw new Refused({ code: "stopped", message: view.stopped.message });
      if (view.state !== "asking" && view.state !== "waiting") return await source.lastWords(rootId);
      await unlessAborted(signal, () => changed);
    } finally {
      stop();
    }
  }
}

/** The answer of an agent with an `output`, parsed. */
export async function asPromised(output: StandardSchema, text: string): Promise<unknown> {
  const read = await readPromised(output, text);
  if (!read.ok)
    throw new Refused({ code: "bad_request", message: `The answer doesn't match the output that its agent promises: ${read.problems}` });
  return read.value;
}

function nextCommit(store: Pick<Store, "watch">, rootId: RootId): { readonly changed: Promise<void>; readonly stop: () => void } {
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  const stop = store.watch(({ lines }) => {
    if (lines.some(({ stream }) => stream === rootId)) resolve();
  });
  return { changed, stop };
}
