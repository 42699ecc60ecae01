import type { ReactNode } from "react";
import { useNews } from "../notices/use-news.ts";
import { useWords } from "../state/appearance.ts";

const SECTIONS = ["open", "later", "notices", "answered"] as const;
export type Section = (typeof SECTIONS)[number];

/** The inbox's sections. Notices are counted separately, since nobody waits for them. */
export function InboxSections({
  section,
  onSection,
  children,
}: {
  readonly section: Section;
  readonly onSection: (section: Section) => void;
  readonly children?: ReactNode;
}) {
  const words = useWords();
  const count = useNews()?.length ?? 0;
  return (
    <div className="flex items-center gap-1 border-b border-line px-3 pb-2 text-[13px]">
      {SECTIONS.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={section === one}
          className={`rounded-md px-2 py-1 whitespace-nowrap ${section === one ? "bg-hover font-medium" : "text-muted hover:text-ink"}`}
          onClick={() => onSection(one)}
        >
          {words.sections[one]}
          {one === "notices" && count > 0 && <span className="tabular-nums"> {count}</span>}
        </button>
      ))}
      <span className="ml-auto">{children}</span>
    </div>
  );
}
