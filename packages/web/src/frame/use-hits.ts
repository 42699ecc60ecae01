import { useApis } from "@colloquy/react";
import type { answers } from "@colloquy/schema";
import { useEffect, useMemo, useState } from "react";
import type { z } from "zod";

/** A text in a dialog. */
export type Hit = z.infer<typeof answers.SearchHit> & { readonly projectId: string };

/** The results, and the text that was searched for. */
interface Found {
  readonly text: string;
  readonly hits: readonly Hit[];
}

const NOTHING: Found = { text: "", hits: [] };

/** Texts in these projects that match. Searched when typing pauses; until then, earlier results that still match. */
export function useHits(projectIds: readonly string[], text: string): readonly Hit[] {
  const apiOf = useApis();
  // The list may be new at each rendering.
  const ids = projectIds.join(" ");
  const sought = text.trim();
  const [found, setFound] = useState(NOTHING);
  useEffect(() => {
    if (ids === "" || sought.length < 2) return setFound(NOTHING);
    let isGone = false;
    const timer = setTimeout(() => {
      const load = async () => {
        const lists = await Promise.all(
          ids.split(" ").map(async (id) => {
            const found = await apiOf(id).search({ q: sought });
            return found.hits.map((hit) => ({ ...hit, projectId: id }));
          }),
        );
        if (!isGone) setFound({ text: sought, hits: lists.flat() });
      };
      load().catch(() => isGone || setFound(NOTHING)); // a server without search still finds titles
    }, 150);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [apiOf, ids, sought]);
  return useMemo(() => (found.text === sought ? found.hits : found.hits.filter((hit) => fits(hit, sought))), [found, sought]);
}

function fits({ title, snippet }: Hit, sought: string): boolean {
  const said = `${title} ${snippet.replaceAll(/[⟦⟧]/g, "")}`.toLowerCase();
  return sought
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => said.includes(word));
}
