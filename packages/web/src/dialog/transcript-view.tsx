import { useQuestions } from "@colloquy/react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { isPlainKey, isTextField } from "../inbox/answer/arming.ts";
import { useWords } from "../state/appearance.ts";
import type { ColumnProps, Loaded } from "./dialog-column.tsx";
import { RowView } from "./row-view.tsx";
import { folded, liveRows, type Row } from "./transcript.ts";

const NEAR_END_PX = 60;

/** The words of a dialog. Only what is in view is in the page; what streams grows at the end, and nothing above it moves. */
export function TranscriptView({
  projectId,
  dialogId,
  dialog,
  rows: all,
  seq,
  course,
  onOpen,
  isMain = false,
}: ColumnProps & { readonly dialog: Loaded; readonly rows: readonly Row[] }) {
  const words = useWords();
  const scroller = useRef<HTMLDivElement>(null);
  const [openRows, setOpenRows] = useState<ReadonlySet<string>>(new Set());
  const { open: openQuestions } = useQuestions();
  const live = dialog.saying[dialogId];
  const recorded = useMemo(() => folded(all, (key) => openRows.has(key)), [all, openRows]);
  const rows = useMemo(() => (live ? [...recorded, ...liveRows(live)] : recorded), [recorded, live]);
  const count = rows.length;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => 92,
    overscan: 8,
    getItemKey: (nth) => rows[nth]?.key ?? nth,
  });
  const toggle = useCallback((key: string) => {
    setOpenRows((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);

  // Stays at the end only if one is there already.
  const isAtEnd = useRef(true);
  const [unseen, setUnseen] = useState(0);
  // The last row that was in view at the end: what comes below it is new, what is loaded above it is not.
  const lastSeen = useRef<string>(undefined);
  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, []);
  const size = virtual.getTotalSize();
  useLayoutEffect(() => {
    if (isAtEnd.current) toEnd();
  }, [size, toEnd]);
  useEffect(() => {
    if (isAtEnd.current || lastSeen.current === undefined) lastSeen.current = rows.at(-1)?.key;
    const place = rows.findLastIndex(({ key }) => key === lastSeen.current);
    setUnseen(place < 0 ? 0 : rows.length - 1 - place);
  }, [rows]);

  // Earlier messages come in above: what is in view stays where it is.
  const fromEnd = useRef<number>(undefined);
  const first = rows[0]?.key;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || fromEnd.current === undefined) return;
    element.scrollTop = element.scrollHeight - fromEnd.current;
    fromEnd.current = undefined;
  }, [first]);
  const loadOlder = () => {
    const element = scroller.current;
    if (!element || fromEnd.current !== undefined) return;
    fromEnd.current = element.scrollHeight - element.scrollTop;
    dialog.loadOlder();
  };
  const onScroll = () => {
    const element = scroller.current;
    if (!element) return;
    isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
    if (isAtEnd.current && unseen > 0) {
      lastSeen.current = rows.at(-1)?.key;
      setUnseen(0);
    }
    if (element.scrollTop < 400 && dialog.hasOlder) loadOlder();
  };

  // A deep link leads to its message, or to the beginning of its course, however old it is.
  const sought = useRef({ seq, course });
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
    isAtEnd.current = false;
    mark(rows[found]?.key);
    virtual.scrollToIndex(found, { align: course === undefined ? "center" : "start" });
  }, [rows, seq, course, dialog, virtual]);

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

  const openById = useMemo(() => new Map(openQuestions?.map((question) => [question.id as string, question])), [openQuestions]);
  const firstOpen = rows.find((row) => row.kind === "question" && row.as === "open")?.key;
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        onScroll={onScroll}
        role="log"
        aria-label={words.dialog.transcript}
        aria-live="off"
        tabIndex={0}
        className="h-full overflow-y-auto [overflow-anchor:none]"
        data-answer-keys=""
      >
        {dialog.hasOlder && (
          <div className="flex justify-center pt-3">
            <button type="button" className="button button-plain text-[13px] text-muted" onClick={loadOlder}>
              {words.loadOlder}
            </button>
          </div>
        )}
        {count === 0 && <p className="p-10 text-center text-muted">{words.empty.transcript}</p>}
        <div className="relative mx-auto w-full max-w-[868px]" style={{ height: size }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const row = rows[index];
            return (
              <div
                key={key}
                data-index={index}
                ref={virtual.measureElement}
                className="absolute top-0 left-0 w-full px-4 sm:px-6"
                style={{ transform: `translateY(${start}px)` }}
              >
                {row && (
                  <RowView
                    row={row}
                    before={rows[index - 1]}
                    projectId={projectId}
                    dialog={dialog}
                    question={row.kind === "question" ? openById.get(row.question) : undefined}
                    isActiveQuestion={isMain && row.key === firstOpen}
                    isOpen={openRows.has(row.key)}
                    isMarked={row.key === marked}
                    onToggle={toggle}
                    onOpen={onOpen}
                  />
                )}
              </div>
            );
          })}
        </div>
        <div className="h-4" />
      </div>
      {unseen > 0 && (
        <button type="button" className="button absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-md" onClick={toEnd}>
          ↓ {words.dialog.newBelow(unseen)}
        </button>
      )}
    </div>
  );
}

/** Where the row stands that is sought; `earlier`: before those that are loaded. */
function placeOf(
  rows: readonly Row[],
  { seq, course }: { readonly seq: number | undefined; readonly course: number | undefined },
): number | "earlier" | undefined {
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
