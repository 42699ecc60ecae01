import { useTasks } from "@colloquy/react";
import type { TaskKind } from "@colloquy/schema";
import { useDeferredValue, useMemo, useRef, useState } from "react";
import { useBoardEntry } from "./board-keys.ts";
import { columnsOf, fitting } from "../task-columns.ts";

export type Status = "open" | "in_progress" | "blocked" | "closed";

/** The tasks of a project in columns, filtered by kind and words. */
export function useBoard(projectId: string) {
  const { tasks, hasMore, more } = useTasks(projectId);
  const [kind, setKind] = useState<TaskKind | "all">("all");
  const [text, setText] = useState("");
  const sought = useDeferredValue(text);
  const place = useRef<HTMLDivElement>(null);
  useBoardEntry(place);
  const shown = useMemo(() => fitting(tasks ?? [], kind, sought), [tasks, kind, sought]);
  const columns = useMemo(() => columnsOf(tasks ?? [], shown), [tasks, shown]);
  return {
    projectId,
    tasks,
    hasMore,
    more,
    kind,
    setKind,
    text,
    setText,
    place,
    columns,
    isEmpty: tasks?.length === 0,
    hasNoHits: tasks !== undefined && tasks.length > 0 && shown.length === 0,
  };
}

export type BoardState = ReturnType<typeof useBoard>;
