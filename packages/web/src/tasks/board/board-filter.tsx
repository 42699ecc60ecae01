import { useWords } from "../../state/appearance.ts";
import type { BoardState } from "./use-board.ts";

const KINDS = ["all", "feedback", "prd", "plan", "task"] as const;

/** Filters the board by words and kind. */
export function BoardFilter({ board: { text, setText, kind, setKind } }: { readonly board: BoardState }) {
  const words = useWords();
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 py-3 sm:px-6">
      <input
        type="search"
        className="field flex-1 sm:max-w-xs max-sm:basis-full"
        aria-label={words.tasks.filter}
        placeholder={words.tasks.filter}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div role="group" aria-label={words.tasks.kind} className="flex flex-wrap gap-1 text-[13px]">
        {KINDS.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={kind === one}
            onClick={() => setKind(one)}
            className={`rounded-md px-2.5 py-1.5 ${kind === one ? "bg-hover font-medium" : "text-muted hover:text-ink"}`}
          >
            {one === "all" ? words.tasks.allKinds : words.tasks.kinds[one]}
          </button>
        ))}
      </div>
    </div>
  );
}
