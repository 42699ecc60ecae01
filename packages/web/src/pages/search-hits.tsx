import type { Hit } from "../frame/use-hits.ts";
import { Link } from "../parts/link.tsx";
import { useWords } from "../state/appearance.ts";

/** What was said, with the words that were searched for marked. */
export function SearchHits({ projectId, hits }: { readonly projectId: string; readonly hits: readonly Hit[] }) {
  const words = useWords();
  return (
    <ul aria-label={words.search} className="mt-4 flex flex-col gap-1">
      {hits.map((hit) => (
        <li key={`${hit.selfId} ${hit.seq}`}>
          <Link
            to={{ page: "dialog", projectId: projectId, dialogId: hit.selfId, ...(hit.seq !== undefined && { seq: hit.seq }) }}
            className="block rounded-lg px-4 py-2 hover:bg-hover"
          >
            <span className="font-medium">{hit.title}</span>
            <span className="block text-[13px] text-muted">
              {hit.snippet.split(/[⟦⟧]/).map((piece, nth) =>
                nth % 2 === 1 ? (
                  <mark key={nth} className="bg-accent-soft text-ink">
                    {piece}
                  </mark>
                ) : (
                  piece
                ),
              )}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
