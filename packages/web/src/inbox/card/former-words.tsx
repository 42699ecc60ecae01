import { useState } from "react";
import { Markdown } from "../../parts/markdown.tsx";
import { useLanguage, useWords } from "../../state/appearance.ts";
import { moment } from "../../state/duration.ts";
import type { FormerVersion } from "./use-context.ts";

/** Says that the text was revised, and shows earlier versions. */
export function FormerWords({ former }: { readonly former: readonly FormerVersion[] }) {
  const words = useWords();
  const [language] = useLanguage();
  const [isOpen, open] = useState(false);
  const last = former.at(-1);
  if (!last) return null;
  return (
    <div className="mt-1 text-[13px] text-muted">
      <button
        type="button"
        className="underline decoration-dotted underline-offset-2 hover:text-ink"
        aria-expanded={isOpen}
        title={`${last.headline}\n\n${last.text}`}
        onClick={() => open(!isOpen)}
      >
        {words.revised} {moment(last.until, Date.now(), language)}
      </button>
      {isOpen &&
        former.toReversed().map(({ headline, text, until }) => (
          <div key={until} className="mt-2 border-l-2 border-line pl-3">
            <p className="font-medium line-through decoration-1">{headline}</p>
            {text.trim() !== headline.trim() && <Markdown text={text} />}
          </div>
        ))}
    </div>
  );
}
