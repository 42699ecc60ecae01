import { type PointerEvent, useMemo, useRef } from "react";
import { useWords } from "../state/appearance.ts";
import { placeOf, type Stretch } from "./time-scale.ts";
import type { Timeline } from "./timeline.ts";

const HEIGHT_PX = 40;
const MAX_PIECES = 400;

export interface Window {
  /** Shares of the whole picture. */
  readonly from: number;
  readonly to: number;
}

/** Overview of the whole timeline: how many were working, and when a person was awaited. The frame shows the visible part; drag to move it. */
export function Minimap({
  model,
  stretches,
  view,
  onMove,
}: {
  readonly model: Timeline;
  readonly stretches: readonly Stretch[];
  readonly view: Window;
  /** Called with the new centre of the view. */
  readonly onMove: (middle: number) => void;
}) {
  const words = useWords();
  const strip = useRef<HTMLDivElement>(null);
  const pieces = useMemo(() => density(model, stretches), [model, stretches]);
  const most = pieces.reduce((sum, { works }) => Math.max(sum, works), 1);
  const move = ({ clientX, buttons }: PointerEvent) => {
    const box = strip.current?.getBoundingClientRect();
    if (box && buttons > 0) onMove(Math.min(1, Math.max(0, (clientX - box.left) / box.width)));
  };
  return (
    <div
      ref={strip}
      role="presentation"
      title={words.time.minimap}
      className="relative shrink-0 cursor-grab touch-none border-t border-line bg-panel active:cursor-grabbing"
      style={{ height: HEIGHT_PX }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        move(event);
      }}
      onPointerMove={move}
    >
      <svg
        aria-hidden="true"
        className="absolute inset-0 h-full w-full"
        viewBox={`0 0 ${MAX_PIECES} ${HEIGHT_PX}`}
        preserveAspectRatio="none"
      >
        {pieces.map(({ works, isAwaited, isFolded }, nth) => (
          <g key={nth}>
            {isFolded && <rect x={nth} y={0} width={1.05} height={HEIGHT_PX} fill="var(--sunken)" />}
            {isAwaited && <rect x={nth} y={HEIGHT_PX - 5} width={1.05} height={3} fill="var(--await-line)" />}
            {works > 0 && (
              <rect
                x={nth}
                y={HEIGHT_PX - 8 - (works / most) * (HEIGHT_PX - 14)}
                width={1.05}
                height={(works / most) * (HEIGHT_PX - 14)}
                fill="var(--accent)"
              />
            )}
          </g>
        ))}
      </svg>
      <div
        className="absolute inset-y-0.5 rounded-md border-2 border-ink/50 bg-ink/5"
        style={{ left: `${view.from * 100}%`, width: `${Math.max(0.5, (view.to - view.from) * 100)}%` }}
      />
    </div>
  );
}

interface Piece {
  readonly works: number;
  readonly isAwaited: boolean;
  readonly isFolded: boolean;
}

/** Activity per column of the strip, in one pass. */
function density({ lanes, people, to }: Timeline, stretches: readonly Stretch[]): readonly Piece[] {
  const last = stretches.at(-1);
  const width = Math.max(1, last ? last.left + last.width : 1);
  const at = (time: number) => Math.min(MAX_PIECES - 1, Math.floor((placeOf(stretches, time) / width) * MAX_PIECES));
  const works = Array.from({ length: MAX_PIECES }, () => 0);
  const awaited = Array.from({ length: MAX_PIECES }, () => false);
  for (const { marks } of lanes)
    for (const mark of marks)
      if (mark.kind === "model" || mark.kind === "tool")
        for (let nth = at(mark.from); nth <= at(mark.to); nth++) works[nth] = (works[nth] ?? 0) + 1;
  for (const one of people) for (let nth = at(one.from); nth <= at(one.to ?? to); nth++) awaited[nth] = true;
  const folded = stretches.filter(({ isFolded }) => isFolded);
  return works.map((count, nth) => {
    const x = ((nth + 0.5) / MAX_PIECES) * width;
    return {
      works: count,
      isAwaited: awaited[nth] === true,
      isFolded: folded.some(({ left, width: wide }) => x >= left && x <= left + wide),
    };
  });
}
