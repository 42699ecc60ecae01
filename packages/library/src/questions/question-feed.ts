import type { QuestionId, QuestionView, TreeEventOf } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import type { ProcessHold } from "../open/process-hold.ts";

/** Questions as they are asked or asked anew. */
export interface QuestionSource {
  readonly store: Pick<Store, "watch">;
  readonly open: () => Promise<readonly QuestionView[]>;
  readonly find: (id: QuestionId) => Promise<QuestionView>;
  readonly hold: ProcessHold;
}

export function onAsked({ store }: Pick<QuestionSource, "store">, tell: (id: QuestionId) => void): () => void {
  return store.watch(({ lines }) => {
    for (const { line } of lines)
      for (const event of line.events) {
        if (!isNews(event)) continue;
        // Closed in the same commit, so nobody is asked.
        const isOver = line.events.some((other) => other.type === "question.closed" && other.question === event.question);
        if (!isOver) tell(event.question);
      }
  });
}

const isNews = (event: { readonly type: string }): event is TreeEventOf<"question.asked" | "question.revised"> =>
  event.type === "question.revised" || (event.type === "question.asked" && (event as TreeEventOf<"question.asked">).shares === undefined);

/** Open questions, then each new one, none twice, until the signal is aborted. */
export async function* followQuestions(source: QuestionSource, signal: AbortSignal): AsyncGenerator<QuestionView, void, undefined> {
  let asked: QuestionId[] = [];
  let wake = () => {};
  // Listen before looking, so that no question in between is missed.
  const stop = onAsked(source, (id) => {
    asked.push(id);
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const shown = new Set<string>();
    let views = await source.open();
    while (!signal.aborted) {
      for (const view of views) {
        const version = `${view.id} ${view.shown}`;
        if (view.status !== "open" || shown.has(version)) continue;
        shown.add(version);
        yield view;
      }
      if (asked.length === 0 && !signal.aborted) await source.hold.during(() => new Promise<void>((go) => (wake = go)));
      const ids = asked;
      asked = [];
      // An unreadable question must not hide the others.
      views = (await Promise.all(ids.map((id) => source.find(id).catch(() => undefined)))).filter((view) => view !== undefined);
    }
  } finally {
    stop();
    signal.removeEventListener("abort", onAbort);
  }
}
