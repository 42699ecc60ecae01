import { type ProjectRow, useDialogs } from "@colloquy/react";
import { useDeferredValue, useMemo, useState } from "react";
import { useHits } from "../frame/use-hits.ts";

export const FILTERS = ["running", "completed", "archived", "all"] as const;

/** A project's dialogs, filtered by state and words, and what was said in them. */
export function useDialogList(project: ProjectRow) {
  const [filter, setFilter] = useState<(typeof FILTERS)[number]>("running");
  const [text, setText] = useState("");
  const sought = useDeferredValue(text.trim().toLowerCase());
  const { rows, hasMore, more } = useDialogs(project.id);
  const hits = useHits([project.id], text);
  const shown = useMemo(
    () => rows?.filter(({ status, title }) => (filter === "all" || status === filter) && title.toLowerCase().includes(sought)),
    [rows, filter, sought],
  );
  return {
    filter,
    setFilter,
    text,
    setText,
    shown,
    hits,
    hasMore,
    more,
    hasNone: shown?.length === 0 && hits.length === 0,
    isEmpty: rows?.length === 0,
  };
}

export type DialogListState = ReturnType<typeof useDialogList>;
