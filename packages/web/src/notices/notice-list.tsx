import { ANSWER_KEYS } from "../inbox/answer/use-arming.ts";
import { InboxSections, type Section } from "../inbox/inbox-sections.tsx";
import { useWords } from "../state/appearance.ts";
import { go } from "../state/router.ts";
import { NoticeRow, ToldRow } from "./notice-row.tsx";
import type { NoticeList as List } from "./use-notice-list.ts";

interface Props {
  readonly list: List;
  readonly noticeId: string | undefined;
}

/** New notices, and below them those marked as read. */
export function NoticeList({ list, noticeId, onSection }: Props & { readonly onSection: (section: Section) => void }) {
  const words = useWords();
  const { rows } = list;
  return (
    <section
      aria-label={words.notices.title}
      {...ANSWER_KEYS}
      className="flex w-full shrink-0 flex-col border-line sm:w-[380px] sm:border-r"
    >
      <header className="flex h-14 items-center justify-between gap-2 px-4">
        <h1 className="text-base font-semibold">{words.inbox}</h1>
        {rows.length > 0 && (
          <button type="button" className="button button-plain -mr-2 px-2 text-[13px] font-normal text-muted" onClick={list.dismissAll}>
            {words.notices.putAllAway}
          </button>
        )}
      </header>
      <InboxSections section="notices" onSection={onSection} />
      <div ref={list.list} className="min-h-0 flex-1 overflow-y-auto" tabIndex={-1}>
        <ul aria-label={words.notices.title}>
          {rows.map((row) => (
            <ToldRow key={row.id} told={row} isSelected={row.id === noticeId} onSelect={() => list.select(row)} />
          ))}
        </ul>
        {list.isEmpty && (
          <div className="p-6 text-center text-muted">
            <p className="font-medium text-ink">{words.notices.none}</p>
            <p className="mt-1 text-[13px]">{words.notices.noneText}</p>
          </div>
        )}
        <History list={list} noticeId={noticeId} />
      </div>
    </section>
  );
}

function History({ list: { isHistory, history, toggleHistory }, noticeId }: Props) {
  const words = useWords();
  return (
    <>
      <button
        type="button"
        aria-expanded={isHistory}
        className="flex w-full items-center gap-2 px-4 py-3 text-left text-[13px] text-muted hover:text-ink"
        onClick={toggleHistory}
      >
        <span aria-hidden="true">{isHistory ? "▾" : "▸"}</span> {words.notices.before}
      </button>
      {isHistory && history?.length === 0 && <p className="px-4 pb-4 text-[13px] text-muted">{words.notices.noneBefore}</p>}
      {isHistory && (
        <ul aria-label={words.notices.before}>
          {history?.map((notice) => (
            <NoticeRow
              key={notice.id}
              notice={notice}
              isSelected={notice.id === noticeId}
              isUnread={false}
              onSelect={() => go({ page: "inbox", projectId: notice.projectId, noticeId: notice.id }, "replace")}
            />
          ))}
        </ul>
      )}
    </>
  );
}
