import type { LiveEvent } from "@colloquy/runtime";
import type { Line, RootId, TreeEvent } from "@colloquy/schema";

export interface TreeListener {
  /** A commit of the tree, whole: its events, with `seq` and time. */
  readonly commit?: (line: Line<TreeEvent>) => void;
  /** What is said right now; superseded by what is recorded. */
  readonly live?: (event: LiveEvent) => void;
}

export interface Listening {
  /** The last `seq` that is known already; absent: everything is told from the beginning. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a subscription listens to. */
export interface TreeSource {
  follow(rootId: RootId, after: number, signal: AbortSignal): AsyncGenerator<Line<TreeEvent>, void, undefined>;
  onLive(listener: (event: LiveEvent) => void): () => void;
  readonly report: (error: unknown) => void;
}

/** Tells of a tree: each commit once, in order, those that are there first. A listener that fails is reported and told the next. */
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
