import { type ProjectNotice, useProject } from "@colloquy/react";
import type { ReactNode } from "react";
import { useWords } from "../state/appearance.ts";
import { duration } from "../state/duration.ts";
import { useKept } from "../state/kept.ts";
import { useNow } from "../state/now.ts";
import type { NewsItem } from "./news.ts";

interface RowProps {
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

export function ToldRow({ told, ...rest }: RowProps & { readonly told: NewsItem }) {
  const words = useWords();
  const [read] = useKept("read");
  const isUnread = !read.includes(told.id);
  if (told.kind === "notice") return <NoticeRow notice={told.notice} isUnread={isUnread} {...rest} />;
  const { title, summary = "" } = told.task;
  return (
    <Row glyph="✓" name={words.notices.finished} headline={title} at={told.at} isUnread={isUnread} {...rest}>
      {[words.notices.finished, summary.split("\n")[0]].filter((one) => one !== "").join(" · ")}
    </Row>
  );
}

export function NoticeRow({ notice, ...rest }: RowProps & { readonly notice: ProjectNotice; readonly isUnread: boolean }) {
  const words = useWords();
  const { agentName } = useProject(notice.projectId);
  const { headline, agentId, class: kind } = notice.notice;
  return (
    <Row glyph="i" name={words.notices.kind} headline={headline} at={Date.parse(notice.createdAt)} {...rest}>
      {agentName(agentId)} · {words.tasks.classes[kind]}
    </Row>
  );
}

function Row({
  glyph,
  name,
  headline,
  at,
  isUnread,
  isSelected,
  onSelect,
  children,
}: RowProps & {
  readonly glyph: string;
  readonly name: string;
  readonly headline: string;
  readonly at: number;
  readonly isUnread: boolean;
  readonly children: ReactNode;
}) {
  const words = useWords();
  const now = useNow(1_000);
  return (
    <li>
      <button
        type="button"
        aria-current={isSelected ? "true" : undefined}
        onClick={onSelect}
        className={`flex h-16 w-full flex-col justify-center gap-0.5 border-b border-line px-4 text-left ${isSelected ? "bg-accent-soft shadow-[inset_3px_0_0_var(--accent)]" : "hover:bg-hover"}`}
      >
        <span className="flex w-full items-baseline gap-2">
          <span
            role="img"
            aria-label={name}
            title={name}
            className="inline-block w-4 shrink-0 text-center font-semibold leading-none text-muted"
          >
            {glyph}
          </span>
          <span className={`min-w-0 flex-1 truncate ${isUnread ? "font-semibold" : ""}`}>{headline}</span>
          <span className="shrink-0 text-xs tabular-nums text-muted">{duration(now - at, words)}</span>
        </span>
        <span className="w-full truncate pl-6 text-xs text-muted">{children}</span>
      </button>
    </li>
  );
}
