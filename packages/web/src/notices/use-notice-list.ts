import { useActionsIn } from "@colloquy/react";
import { useEffect, useRef, useState } from "react";
import { isAnswerKey } from "../inbox/answer/use-arming.ts";
import { markRead } from "../inbox/read-marks.ts";
import { keep, kept } from "../state/kept.ts";
import { go } from "../state/router.ts";
import type { NewsItem } from "./news.ts";
import { useHistory, useOldNotice } from "./use-history.ts";
import { useNews } from "./use-news.ts";

/** Finished tasks that were marked as read, in this browser. */
const MAX_MARKED = 400;

/** What is new, the selected notice, and how notices are marked as read. */
export function useNoticeList(noticeId: string | undefined, isPhone: boolean) {
  const known = useNews();
  const rows = known ?? [];
  const list = useRef<HTMLDivElement>(null);
  const [isHistory, showHistory] = useState(false);
  const history = useHistory(isHistory, rows.length);
  const selected = rows.find(({ id }) => id === noticeId);
  const past = history?.find(({ id }) => id === noticeId);
  const isElsewhere = noticeId !== undefined && known !== undefined && !selected && !past;
  const elsewhere = useOldNotice(isElsewhere ? noticeId : undefined);
  const mark = useMarking();

  const select = (row: NewsItem | undefined) => {
    if (!row) return go({ page: "inbox" }, "replace");
    const { projectId } = row.kind === "notice" ? row.notice : row.task;
    go({ page: "inbox", projectId, noticeId: row.id }, noticeId === undefined ? "push" : "replace");
  };
  // Wide pages always have an item open; phones show the list first.
  useEffect(() => {
    if (!isPhone && noticeId === undefined && rows[0]) select(rows[0]);
  }, [isPhone, noticeId, rows[0]?.id]);
  useEffect(() => {
    if (selected) markRead(selected.id);
  }, [selected?.id]);

  const dismiss = async (row: NewsItem) => {
    const place = rows.indexOf(row);
    const next = rows[place + 1] ?? rows[place - 1];
    if (await mark(row)) select(isPhone ? undefined : next);
  };
  const dismissAll = async () => {
    for (const row of rows) await mark(row);
    select(undefined);
  };
  useNoticeKeys((key) => {
    const place = rows.findIndex(({ id }) => id === noticeId);
    if (key === "j" || key === "ArrowDown") select(rows[Math.min(rows.length - 1, place + 1)]);
    else if (key === "k" || key === "ArrowUp") select(rows[Math.max(0, place - 1)]);
    else if (key === "e" && selected) void dismiss(selected);
    else return false;
    list.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
    return true;
  });
  return {
    rows,
    list,
    isHistory,
    history,
    selected,
    select,
    dismiss,
    dismissAll,
    /** A notice that was marked as read. */
    past: past ?? elsewhere,
    isEmpty: known?.length === 0,
    toggleHistory: () => showHistory(!isHistory),
    isListShown: !isPhone || noticeId === undefined,
  };
}

export type NoticeList = ReturnType<typeof useNoticeList>;

/** `act` returns true if it used the key. */
function useNoticeKeys(act: (key: string) => boolean): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isAnswerKey(event) && act(event.key)) event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}

/** Marks as read: a notice for everybody, a finished task in this browser. */
function useMarking(): (row: NewsItem) => Promise<boolean> {
  const actionsIn = useActionsIn();
  return async (row) => {
    if (row.kind === "task") {
      keep("putAway", [...kept("putAway").split(" ").filter(Boolean).slice(-MAX_MARKED), row.id].join(" "));
      return true;
    }
    try {
      await actionsIn(row.notice.projectId).notices.dismiss(row.id);
      return true;
    } catch {
      return false; // it stays where it is, and the connection bar says why
    }
  };
}
