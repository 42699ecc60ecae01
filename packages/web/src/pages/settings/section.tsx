import type { ReactNode } from "react";
import { useWords } from "../../state/appearance.ts";

/** A group of settings; `edit` is where to change them. */
export function Section({ title, edit, children }: { readonly title: string; readonly edit?: string; readonly children: ReactNode }) {
  const words = useWords();
  return (
    <section aria-label={title}>
      <h2 className="flex items-baseline justify-between gap-3 font-semibold">
        {title}
        {edit !== undefined && <span className="font-mono text-xs font-normal text-muted">{words.setup.editIn(edit)}</span>}
      </h2>
      <div className="mt-2 overflow-hidden rounded-xl border border-line bg-panel">{children}</div>
    </section>
  );
}

/** One setting. */
export const Line = ({ children }: { readonly children: ReactNode }) => (
  <div className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-3 last:border-0">{children}</div>
);
