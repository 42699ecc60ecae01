import { useAllTasks, useNotices } from "@colloquy/react";
import { useMemo } from "react";
import { useKept } from "../state/kept.ts";
import { useNow } from "../state/now.ts";
import { type NewsItem, newsFor } from "./news.ts";

/** Unread notices. Undefined while loading. */
export function useNews(): readonly NewsItem[] | undefined {
  const now = useNow(60_000);
  const notices = useNotices();
  const tasks = useAllTasks();
  const [putAway] = useKept("putAway");
  return useMemo(() => notices && newsFor(notices, tasks, new Set(putAway.split(" ")), now), [notices, tasks, putAway, now]);
}
