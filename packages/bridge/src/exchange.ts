import type { RootId } from "@colloquy/schema";
import type { BridgeProject } from "./bridge-project.ts";
import { type Said, Teller } from "./teller.ts";

interface Since {
  readonly rootId: RootId;
  /** The `seq` after which to begin. */
  readonly after: number;
}

type Watched = Pick<BridgeProject, "watch" | "quiet" | "view">;

/** Follows a main dialog until its tree is idle: live text as it comes, completed by what is recorded. */
export const exchange = (project: Watched, { rootId, after }: Since, signal: AbortSignal): AsyncGenerator<Said, void, undefined> =>
  untilIdle(project, new Teller(rootId, after), signal);

/** The same, continued from what was told before. */
export async function* untilIdle(project: Watched, teller: Teller, signal: AbortSignal): AsyncGenerator<Said, void, undefined> {
  const { rootId } = teller;
  const ending = new AbortController();
  const over = AbortSignal.any([signal, ending.signal]);
  let wake = () => {};
  over.addEventListener("abort", () => wake(), { once: true });
  const stop = project.watch(rootId, teller.seq, {
    commit: (line) => {
      teller.commit(line);
      wake();
    },
    live: (event) => {
      teller.live(event);
      wake();
    },
    dropped: () => teller.dropped(),
  });
  let head: number | undefined;
  let problem: unknown;
  const idle = async () => {
    await project.quiet(rootId, over);
    head = (await project.view(rootId)).seq;
  };
  idle()
    .catch((error: unknown) => (problem = error))
    .finally(() => wake());
  try {
    for (;;) {
      const isOver = over.aborted || problem !== undefined || (head !== undefined && teller.seq >= head);
      if (teller.hasMore) yield* teller.take();
      else if (problem !== undefined) throw problem;
      else if (isOver) return;
      // Nothing happens between these checks and the waiting.
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stop();
    ending.abort();
  }
}
