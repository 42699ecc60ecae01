import type { LiveEvent } from "@colloquy/runtime";
import type { Line, RootId, TreeEvent } from "@colloquy/schema";

export interface TreeListener {
  /** A commit of the tree, whole: its events, with `seq` and time. */
  readonly commit?: (line: Line<TreeEvent>) => void;
  /** Live text; superseded by recorded events. */
  readonly live?: (event: LiveEvent) => void;
}

export interface Listening {
  /** The last known `seq`; if absent, everything is sent from the beginning. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a subscription listens to. */
export interface TreeSource {
  follow(rootId: RootId, after: number, signal: AbortSignal): AsyncGenerator<Line<TreeEvent>, void, undefined>;
  onLive(listener: (event: LiveEvent) => void): () => void;
  readonly report: (error: unknown) => void;
}

/** Passes on each commit of a tree once, in order, existing ones first. A listener that throws is reported and still gets the next. */
export function subscribe(
  source: TreeSource,
  rootId: RootId,
  { commit, live }: TreeListener,
  { after = 0, signal }: Listening = {},
): () => void {
  const ending = new AbortController();
  const over = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal;
  const deaf = live && source.onLive((event) => event.dialog.rootId === rootId && !over.aborted && live(event));
  over.addEventListener("abort", () => deaf?.(), { once: true });
  if (commit) {
    const tell = async () => {
      for await (const line of source.follow(rootId, after, over)) {
        try {
          commit(line);
        } catch (error) {
          source.report(error);
        }
      }
    };
    tell().catch(source.report);
  }
  return () => ending.abort();
}
