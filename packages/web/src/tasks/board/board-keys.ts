import { type KeyboardEvent as ReactKeyboardEvent, type RefObject, useEffect } from "react";
import { isPlainKey } from "../../inbox/answer/arming.ts";
import { isFocusNowhere } from "../../state/list-keys.ts";

const STEPS: Readonly<Record<string, readonly [columns: number, cards: number]>> = {
  ArrowDown: [0, 1],
  j: [0, 1],
  ArrowUp: [0, -1],
  k: [0, -1],
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
};

/** Arrow keys move between cards, within a column and to the nearest non-empty column. Tab reaches every card. */
export function onBoardKey(event: ReactKeyboardEvent, board: HTMLElement | null): void {
  const step = STEPS[event.key];
  const card = (event.target as HTMLElement).closest<HTMLElement>("[data-column]");
  if (!step || !card || !board || event.ctrlKey || event.metaKey || event.altKey) return;
  const cards = [...board.querySelectorAll<HTMLElement>("[data-column]")];
  const column = Number(card.dataset.column);
  const inColumn = (nth: number) => cards.filter((one) => Number(one.dataset.column) === nth);
  const place = inColumn(column).indexOf(card);
  const [columns, by] = step;
  const others = [...new Set(cards.map((one) => Number(one.dataset.column)))].filter((nth) => (nth - column) * columns > 0);
  const nearest = columns === 0 ? column : others.toSorted((a, b) => Math.abs(a - column) - Math.abs(b - column))[0];
  if (nearest === undefined) return;
  const next = inColumn(nearest);
  const target = next[Math.max(0, Math.min(next.length - 1, place + by))];
  event.preventDefault();
  target?.focus();
  target?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** If nothing has the focus, the first such key moves it to the board. */
export function useBoardEntry(board: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (STEPS[event.key] === undefined || !isPlainKey(event) || event.defaultPrevented || !isFocusNowhere()) return;
      if (document.querySelector("dialog[open], [role=menu]")) return;
      const first = board.current?.querySelector<HTMLElement>("[data-column]");
      if (!first) return;
      event.preventDefault();
      first.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [board]);
}
