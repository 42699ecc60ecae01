import { useQuestions } from "@colloquy/react";
import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { isPlainKey, isTextField } from "../../inbox/answer/arming.ts";
import type { ColumnProps, Loaded } from "../dialog-column.tsx";
import { folded } from "./folded-calls.ts";
import { liveRows } from "./live-rows.ts";
import type { Row } from "./rows.ts";

const NEAR_END_PX = 60;
const ROW_PX = 92;
const OVERSCAN_ROWS = 4;

type Scroller = RefObject<HTMLDivElement | null>;
type Rows = Virtualizer<HTMLDivElement, Element>;

export type TranscriptProps = ColumnProps & { readonly dialog: Loaded; readonly rows: readonly Row[] };

/** The rows in view, and what scrolling does. */
export function useTranscript({ dialogId, dialog, rows: all, seq, course, isMain = false }: TranscriptProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [openRows, setOpenRows] = useState<ReadonlySet<string>>(new Set());
  const { open: openQuestions } = useQuestions();
  const recorded = useMemo(() => folded(all, (key) => openRows.has(key)), [all, openRows]);
  const rows = useMemo(
    () => [...recorded, ...dialog.live.filter(({ selfId }) => selfId === dialogId).flatMap(liveRows)],
    [recorded, dialog.live, dialogId],
  );
  const count = rows.length;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN_ROWS,
    // A dialog opens at its end: the rows at its beginning are not rendered first.
    initialOffset: () => rows.length * ROW_PX,
    getItemKey: (nth) => rows[nth]?.key ?? nth,
  });
  const toggle = useCallback((key: string) => {
    setOpenRows((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);
  const size = virtual.getTotalSize();
  const end = useEnd(scroller, rows, size);
  const loadOlder = useOlder(scroller, dialog, rows[0]?.key);
  const onScroll = () => {
    end.look();
    if ((scroller.current?.scrollTop ?? 0) < 400 && dialog.hasOlder) loadOlder();
  };
  const marked = useSought(rows, dialog, { seq, course }, (place) => {
    end.leave();
    virtual.scrollToIndex(place, { align: course === undefined ? "center" : "start" });
  });
  useJumpKeys(isMain, rows, virtual);
  const openById = useMemo(() => new Map(openQuestions?.map((question) => [question.id as string, question])), [openQuestions]);
  const firstOpen = rows.find((row) => row.kind === "question" && row.as === "open")?.key;
  const propsOf = (row: Row, index: number) => ({
    row,
    before: rows[index - 1],
    question: row.kind === "question" ? openById.get(row.question) : undefined,
    isActiveQuestion: isMain && row.key === firstOpen,
    isOpen: openRows.has(row.key),
    isMarked: row.key === marked,
    onToggle: toggle,
  });
  return { scroller, rows, virtual, size, onScroll, loadOlder, unseen: end.unseen, toEnd: end.toEnd, propsOf };
}

/** Follows the end if the reader is there, and otherwise counts what is new below. */
function useEnd(scroller: Scroller, rows: readonly Row[], size: number) {
  const isAtEnd = useRef(true);
  const [unseen, setUnseen] = useState(0);
  // The last row seen at the end: rows below it are new, rows loaded above it are not.
  const lastSeen = useRef<string>(undefined);
  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, []);
  useLayoutEffect(() => {
    if (isAtEnd.current) toEnd();
  }, [size, toEnd]);
  useEffect(() => {
    if (isAtEnd.current || lastSeen.current === undefined) lastSeen.current = rows.at(-1)?.key;
    const place = rows.findLastIndex(({ key }) => key === lastSeen.current);
    setUnseen(place < 0 ? 0 : rows.length - 1 - place);
  }, [rows]);
  const look = () => {
    const element = scroller.current;
    if (!element) return;
    isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
    if (!isAtEnd.current || unseen === 0) return;
    lastSeen.current = rows.at(-1)?.key;
    setUnseen(0);
  };
  const leave = () => {
    isAtEnd.current = false;
  };
  return { unseen, toEnd, look, leave };
}

/** Loads earlier messages without moving what is in view. */
function useOlder(scroller: Scroller, dialog: Loaded, first: string | undefined): () => void {
  const fromEnd = useRef<number>(undefined);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || fromEnd.current === undefined) return;
    element.scrollTop = element.scrollHeight - fromEnd.current;
    fromEnd.current = undefined;
  }, [first]);
  return () => {
    const element = scroller.current;
    if (!element || fromEnd.current !== undefined) return;
    fromEnd.current = element.scrollHeight - element.scrollTop;
    dialog.loadOlder();
  };
}

interface Sought {
  readonly seq: number | undefined;
  readonly course: number | undefined;
}

/** A deep link scrolls to its message or course, loading older messages if needed. Returns the key of the row found. */
function useSought(rows: readonly Row[], dialog: Loaded, { seq, course }: Sought, show: (place: number) => void): string | undefined {
  const sought = useRef<Sought>({ seq, course });
  const [marked, mark] = useState<string>();
  useEffect(() => {
    sought.current = { seq, course };
  }, [seq, course]);
  useEffect(() => {
    if (rows.length === 0) return;
    const place = placeOf(rows, sought.current);
    if (place === undefined) return;
    if (place === "earlier" && dialog.hasOlder) return dialog.loadOlder();
    const found = place === "earlier" ? 0 : place;
    sought.current = { seq: undefined, course: undefined };
    mark(rows[found]?.key);
    show(found);
  }, [rows, seq, course, dialog]);
  return marked;
}

/** `n` and `p` go to the next and previous message or question of a person. */
function useJumpKeys(isMain: boolean, rows: readonly Row[], virtual: Rows): void {
  useEffect(() => {
    if (!isMain) return;
    const onKey = (event: KeyboardEvent) => {
      if ((event.key !== "n" && event.key !== "p") || !isPlainKey(event) || isTextField(document.activeElement as HTMLElement | null))
        return;
      const top = virtual.getVirtualItemForOffset(virtual.scrollOffset ?? 0)?.index ?? 0;
      const isJump = (row: Row | undefined) => row?.kind === "person" || row?.kind === "question";
      const place =
        event.key === "n"
          ? rows.findIndex((row, nth) => nth > top + 1 && isJump(row))
          : rows.findLastIndex((row, nth) => nth < top && isJump(row));
      if (place >= 0) virtual.scrollToIndex(place, { align: "start" });
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [isMain, rows, virtual]);
}

/** Index of the wanted row; `earlier`: it is before the loaded rows. */
function placeOf(rows: readonly Row[], { seq, course }: Sought): number | "earlier" | undefined {
  if (course !== undefined) {
    const place = rows.findIndex((row) => row.kind === "course" && row.course === course);
    return place < 0 ? "earlier" : place;
  }
  if (seq === undefined) return undefined;
  if ((rows[0]?.seq ?? 0) > seq) return "earlier";
  return Math.max(
    0,
    rows.findIndex((row) => row.seq >= seq),
  );
}
