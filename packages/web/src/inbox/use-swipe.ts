import { type PointerEvent, useRef, useState } from "react";

/** Shorter movements are not swipes. */
const MIN_PX = 96;

/** Horizontal swipe over a row. Every action has another control, and none decides a question. */
export function useSwipe(onRight: () => void, onLeft: () => void) {
  const start = useRef<{ readonly x: number; readonly y: number }>(undefined);
  const wasSwiped = useRef(false);
  const [offset, setOffset] = useState(0);
  const end = () => {
    start.current = undefined;
    setOffset(0);
  };
  return {
    /** Distance in pixels; positive to the right. */
    offset,
    isFar: Math.abs(offset) >= MIN_PX,
    handlers: {
      onPointerDown: ({ pointerType, clientX, clientY }: PointerEvent) => {
        wasSwiped.current = false;
        if (pointerType === "touch") start.current = { x: clientX, y: clientY };
      },
      onPointerMove: ({ clientX, clientY }: PointerEvent) => {
        if (!start.current) return;
        const [x, y] = [clientX - start.current.x, clientY - start.current.y];
        if (Math.abs(x) > 12 && Math.abs(x) > 2 * Math.abs(y)) wasSwiped.current = true;
        if (wasSwiped.current) setOffset(x);
      },
      onPointerUp: () => {
        if (offset >= MIN_PX) onRight();
        else if (offset <= -MIN_PX) onLeft();
        end();
      },
      onPointerCancel: end,
      /** The browser's click at the end of a swipe is suppressed. */
      onClickCapture: (event: { preventDefault(): void; stopPropagation(): void }) => {
        if (!wasSwiped.current) return;
        wasSwiped.current = false;
        event.preventDefault();
        event.stopPropagation();
      },
    },
  };
}
