import type { DialogId, Entry, QuestionId, RootId, SearchHit } from "@colloquy/schema";
import type { SearchIndex } from "./search-index.ts";

/** Hits, newest first; `isComplete`: the index has caught up with the logs. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly isComplete: boolean;
}

/** Hits with the dialogs' current titles. */
export async function findWords(
  index: SearchIndex,
  entry: (rootId: RootId) => Entry | undefined,
  query: string,
  { limit = 50, whole = false }: { readonly limit?: number; readonly whole?: boolean },
): Promise<SearchResult> {
  const hits = await index.search(query, limit, whole);
  return {
    hits: hits.map(({ rootId, selfId, seq, at, by, snippet, questionId }) => ({
      rootId: rootId as RootId,
      selfId: selfId as DialogId,
      title: entry(rootId as RootId)?.title ?? "",
      at,
      by,
      snippet,
      ...(seq !== undefined && { seq }),
      ...(questionId !== undefined && { questionId: questionId as QuestionId }),
    })),
    isComplete: index.isComplete,
  };
}
