import { ANSWER_KEYS } from "../inbox/answer/use-arming.ts";
import type { Section } from "../inbox/inbox-sections.tsx";
import { useWords } from "../state/appearance.ts";
import { go } from "../state/router.ts";
import { NoticeCard } from "./notice-card.tsx";
import { NoticeList } from "./notice-list.tsx";
import { type NoticeList as List, useNoticeList } from "./use-notice-list.ts";

interface Props {
  readonly noticeId: string | undefined;
  readonly isPhone: boolean;
  readonly onSection: (section: Section) => void;
}

/** Notices: what agents did without asking, and finished tasks. */
export function NoticesView({ noticeId, isPhone, onSection }: Props) {
  const words = useWords();
  const list = useNoticeList(noticeId, isPhone);
  return (
    <div className="flex h-full min-w-0 flex-1">
      {list.isListShown && <NoticeList list={list} noticeId={noticeId} onSection={onSection} />}
      {(!isPhone || !list.isListShown) && (
        <section aria-label={words.notices.kind} {...ANSWER_KEYS} className="min-w-0 flex-1 overflow-y-auto">
          {isPhone && <h1 className="sr-only">{words.inbox}</h1>}
          {isPhone && (
            <button type="button" className="button button-plain m-2" onClick={() => go({ page: "inbox" })}>
              ← {words.back}
            </button>
          )}
          <div className="px-4 pt-2 pb-8 sm:px-8 sm:pt-8">
            <Selected list={list} />
          </div>
        </section>
      )}
    </div>
  );
}

function Selected({ list: { selected, past, dismiss } }: { readonly list: List }) {
  const words = useWords();
  if (selected) return <NoticeCard told={selected} onPutAway={() => void dismiss(selected)} />;
  if (past === "not found") return <p className="p-10 text-center text-muted">{words.notices.notFound}</p>;
  return past && <NoticeCard told={{ kind: "notice", id: past.id, at: Date.parse(past.createdAt), notice: past }} />;
}
