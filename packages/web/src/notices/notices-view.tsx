import { type ProjectNotice, projectPath, readNotices, useDoor, useProjects } from "@colloquy/react";
import { useEffect, useRef, useState } from "react";
import { markRead } from "../inbox/read-marks.ts";
import { InboxSections, type Section } from "../inbox/inbox-sections.tsx";
import { ANSWER_KEYS, isAnswerKey } from "../inbox/answer/use-arming.ts";
import { useWords } from "../state/appearance.ts";
import { keep, kept } from "../state/kept.ts";
import { newMsgId } from "@colloquy/schema";
import { go } from "../state/router.ts";
import { NoticeCard } from "./notice-card.tsx";
import { NoticeRow, ToldRow } from "./notice-row.tsx";
import type { NewsItem } from "./news.ts";
import { useNews } from "./use-news.ts";

/** For your information: what agents did without asking, and what is finished. Opened it is read; put away it is history. */
export function NoticesView({
  noticeId,
  isPhone,
  onSection,
}: {
  readonly noticeId: string | undefined;
  readonly isPhone: boolean;
  readonly onSection: (section: Section) => void;
}) {
  const words = useWords();
  const known = useNews();
  const rows = known ?? [];
  const list = useRef<HTMLDivElement>(null);
  const [isHistory, showHistory] = useState(false);
  const history = usePutAway(isHistory, rows.length);
  const selected = rows.find(({ id }) => id === noticeId);
  const past = history?.find(({ id }) => id === noticeId);
  const elsewhere = useNotice(noticeId !== undefined && known !== undefined && !selected && !past ? noticeId : undefined);
  const put = usePuttingAway();

  const select = (row: NewsItem | undefined) => {
    if (!row) return go({ page: "inbox" }, "replace");
    const { projectId } = row.kind === "notice" ? row.notice : row.task;
    go({ page: "inbox", projectId, noticeId: row.id }, noticeId === undefined ? "push" : "replace");
  };
  // On a wide page something is always open; on a phone the list comes first.
  useEffect(() => {
    if (!isPhone && noticeId === undefined && rows[0]) select(rows[0]);
  }, [isPhone, noticeId, rows[0]?.id]);
  useEffect(() => {
    if (selected) markRead(selected.id);
  }, [selected?.id]);

  const away = async (row: NewsItem) => {
    const place = rows.indexOf(row);
    const next = rows[place + 1] ?? rows[place - 1];
    if (await put(row)) select(isPhone ? undefined : next);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isAnswerKey(event)) return;
      const place = rows.findIndex(({ id }) => id === noticeId);
      if (event.key === "j" || event.key === "ArrowDown") select(rows[Math.min(rows.length - 1, place + 1)]);
      else if (event.key === "k" || event.key === "ArrowUp") select(rows[Math.max(0, place - 1)]);
      else if (event.key === "e" && selected) void away(selected);
      else return;
      event.preventDefault();
      list.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  const isListShown = !isPhone || noticeId === undefined;
  return (
    <div className="flex h-full min-w-0 flex-1">
      {isListShown && (
        <section
          aria-label={words.notices.title}
          {...ANSWER_KEYS}
          className="flex w-full shrink-0 flex-col border-line sm:w-[380px] sm:border-r"
        >
          <header className="flex h-14 items-center justify-between gap-2 px-4">
            <h1 className="text-base font-semibold">{words.inbox}</h1>
            {rows.length > 0 && (
              <button
                type="button"
                className="button button-plain -mr-2 px-2 text-[13px] font-normal text-muted"
                onClick={async () => {
                  for (const row of rows) await put(row);
                  select(undefined);
                }}
              >
                {words.notices.putAllAway}
              </button>
            )}
          </header>
          <InboxSections section="notices" onSection={onSection} />
          <div ref={list} className="min-h-0 flex-1 overflow-y-auto" tabIndex={-1}>
            <ul aria-label={words.notices.title}>
              {rows.map((row) => (
                <ToldRow key={row.id} told={row} isSelected={row.id === noticeId} onSelect={() => select(row)} />
              ))}
            </ul>
            {known !== undefined && rows.length === 0 && (
              <div className="p-6 text-center text-muted">
                <p className="font-medium text-ink">{words.notices.none}</p>
                <p className="mt-1 text-[13px]">{words.notices.noneText}</p>
              </div>
            )}
            <button
              type="button"
              aria-expanded={isHistory}
              className="flex w-full items-center gap-2 px-4 py-3 text-left text-[13px] text-muted hover:text-ink"
              onClick={() => showHistory(!isHistory)}
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
          </div>
        </section>
      )}
      {(!isPhone || !isListShown) && (
        <section aria-label={words.notices.kind} {...ANSWER_KEYS} className="min-w-0 flex-1 overflow-y-auto">
          {isPhone && <h1 className="sr-only">{words.inbox}</h1>}
          {isPhone && (
            <button type="button" className="button button-plain m-2" onClick={() => go({ page: "inbox" })}>
              ← {words.back}
            </button>
          )}
          <div className="px-4 pt-2 pb-8 sm:px-8 sm:pt-8">
            {selected ? (
              <NoticeCard told={selected} onPutAway={() => void away(selected)} />
            ) : past ? (
              <NoticeCard told={{ kind: "notice", id: past.id, at: Date.parse(past.createdAt), notice: past }} />
            ) : elsewhere === "not found" ? (
              <p className="p-10 text-center text-muted">{words.notices.notFound}</p>
            ) : elsewhere ? (
              <NoticeCard told={{ kind: "notice", id: elsewhere.id, at: Date.parse(elsewhere.createdAt), notice: elsewhere }} />
            ) : null}
          </div>
        </section>
      )}
    </div>
  );
}

/** A notice is put away for everybody; that a task is finished, in this browser. */
function usePuttingAway(): (row: NewsItem) => Promise<boolean> {
  const door = useDoor();
  return async (row) => {
    if (row.kind === "task") {
      keep("putAway", [...kept("putAway").split(" ").filter(Boolean).slice(-400), row.id].join(" "));
      return true;
    }
    try {
      await door.change("PATCH", `${projectPath(row.notice.projectId)}/notifications/${row.id}`, { dismissed: true, msgId: newMsgId() });
      return true;
    } catch {
      return false; // it stays where it is, and the connection bar says why
    }
  };
}

/** Those that somebody has put away, the last one first; read when they are asked for, and again when there is one more. */
function usePutAway(isWanted: boolean, count: number): readonly ProjectNotice[] | undefined {
  const door = useDoor();
  const projects = useProjects();
  const [found, setFound] = useState<readonly ProjectNotice[]>();
  useEffect(() => {
    if (!isWanted || !projects) return;
    Promise.all(projects.map(({ id }) => readNotices(door, id, "resolved")))
      .then((lists) =>
        setFound(lists.flatMap(({ notices }) => notices).toSorted((a, b) => (b.resolvedAt ?? "").localeCompare(a.resolvedAt ?? ""))),
      )
      .catch(() => undefined); // the connection bar says so
  }, [isWanted, door, projects?.length, count]);
  return found;
}

/** One that is not among those that are loaded: somebody has put it away, or it never was. */
function useNotice(id: string | undefined): ProjectNotice | "not found" | undefined {
  const history = usePutAway(id !== undefined, 0);
  if (id === undefined || !history) return undefined;
  return history.find((notice) => notice.id === id) ?? "not found";
}
