import type { Timeline } from "./timeline.ts";

/** A stretch of the axis. Stretches without work are folded. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly width: number;
  readonly isFolded: boolean;
}

export const FOLD_PX = 64;
const MIN_FOLD_MS = 20_000;
const MIN_FOLD_SHARE = 0.04;
const PAD_MS = 400;

/** Maps time to the axis. When folded, a gap without work is as wide as its label, however long it was. */
export function axis({ lanes, from, to }: Timeline, width: number, zoom: number, isFolded: boolean): readonly Stretch[] {
  const span = Math.max(1, to - from);
  const least = Math.max(MIN_FOLD_MS, span * MIN_FOLD_SHARE);
  const work = lanes
    .flatMap(({ marks, start }) => [{ from: start, to: start + 1 }, ...marks.filter(({ kind }) => kind === "model" || kind === "tool")])
    .toSorted((a, b) => a.from - b.from);
  const gaps: { from: number; to: number }[] = [];
  let busyTo = from;
  for (const mark of work) {
    if (isFolded && mark.from - busyTo > least) gaps.push({ from: busyTo + PAD_MS, to: mark.from - PAD_MS });
    busyTo = Math.max(busyTo, mark.to);
  }
  if (isFolded && to - busyTo > least) gaps.push({ from: busyTo + PAD_MS, to });
  const shown = span - gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  const scale = (Math.max(120, width - gaps.length * FOLD_PX) / Math.max(1, shown)) * zoom;
  const stretches: Stretch[] = [];
  let left = 0;
  let at = from;
  const push = (until: number, isFold: boolean) => {
    if (until <= at) return;
    const wide = isFold ? FOLD_PX : (until - at) * scale;
    stretches.push({ from: at, to: until, left, width: wide, isFolded: isFold });
    left += wide;
    at = until;
  };
  for (const gap of gaps) {
    push(gap.from, false);
    push(gap.to, true);
  }
  push(to, false);
  return stretches;
}

export function placeOf(stretches: readonly Stretch[], time: number): number {
  const last = stretches.at(-1);
  if (!last) return 0;
  const one = stretches.find((stretch) => time <= stretch.to) ?? last;
  const share = Math.min(1, Math.max(0, (time - one.from) / Math.max(1, one.to - one.from)));
  return one.left + share * one.width;
}

export interface Tick {
  readonly at: number;
  readonly x: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Steps in which people count time. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((count) => count * DAY),
];
const TICK_PX = 90;
const MIN_TICK_PX = 70;

/**
 * Clock times on the axis: round ones, as close as their labels allow, and where a stretch begins, if there is room before the
 * first round one. `offset`: what local time is behind UTC, so that days begin at midnight.
 */
export function ticksOn(stretches: readonly Stretch[], offset = 0): { readonly step: number; readonly ticks: readonly Tick[] } {
  const open = stretches.filter(({ isFolded, width }) => !isFolded && width > 0);
  const msPerPx = open.reduce((most, { from, to, width }) => Math.max(most, (to - from) / width), 0);
  const step = STEPS.find((one) => one >= msPerPx * TICK_PX) ?? STEPS.at(-1) ?? DAY;
  const ticks: Tick[] = [];
  for (const { from, to, left, width } of open) {
    const place = (at: number) => left + (width * (at - from)) / Math.max(1, to - from);
    const first = Math.ceil((from - offset) / step) * step + offset;
    const isRoomBefore = first > to || place(first) - left >= MIN_TICK_PX;
    const isRoomBehind = left - (ticks.at(-1)?.x ?? -MIN_TICK_PX) >= MIN_TICK_PX;
    if (isRoomBefore && isRoomBehind) ticks.push({ at: from, x: left });
    for (let at = first; at <= to; at += step)
      if (place(at) - (ticks.at(-1)?.x ?? -MIN_TICK_PX) >= MIN_TICK_PX) ticks.push({ at, x: place(at) });
  }
  return { step, ticks };
}

/** The time at a position of the axis. */
export function timeAt(stretches: readonly Stretch[], x: number): number {
  const one = stretches.find(({ left, width }) => x <= left + width) ?? stretches.at(-1);
  if (!one) return 0;
  const share = Math.min(1, Math.max(0, (x - one.left) / Math.max(1, one.width)));
  return one.from + share * (one.to - one.from);
}
