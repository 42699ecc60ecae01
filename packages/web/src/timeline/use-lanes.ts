import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { isFocusNowhere } from "../state/list-keys.ts";
import { go } from "../state/router.ts";
import type { Window } from "./minimap.tsx";
import { AXIS_PX } from "./time-axis.tsx";
import { placeOf, type Stretch, timeAt } from "./time-scale.ts";
import { type Lane, PEOPLE, type Timeline } from "./timeline.ts";

const LANE_PX = 34;
const SMALL_LANE_PX = 18;
const MAX_TALL_LANES = 60;
/** Lanes drawn at once; the others are out of view. */
const DRAWN_LANES = 64;
const MAX_ARROWS = 150;
/** Width of the column with the lanes' names. */
export const GUTTER_PX = 220;

/** The part of the picture in view, and the lane and mark that keys have selected. */
export function useLanes(model: Timeline, stretches: readonly Stretch[], projectId: string) {
  const [top, setTop] = useState(0);
  const [pointed, point] = useState<string>();
  const laneHeight = model.lanes.length > MAX_TALL_LANES ? SMALL_LANE_PX : LANE_PX;
  const first = Math.max(0, Math.floor((top - AXIS_PX) / laneHeight) - 4);
  const height = AXIS_PX + (model.lanes.length + 1) * laneHeight;
  const { selected, chosen, ...selection } = useSelection(model);
  const { view, scroller, look, moveTo, width } = useScroller(stretches, height, chosen?.from, setTop);
  const places = useMemo(() => new Map([[PEOPLE, -1], ...model.lanes.map((lane, nth) => [lane.id, nth] as const)]), [model.lanes]);
  const open = (lane: string, seq?: number) => go({ page: "dialog", projectId, dialogId: lane, ...(seq !== undefined && { seq }) });
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") selection.selectLane(key === "ArrowDown" ? 1 : -1);
    else if (key === "ArrowRight" || key === "ArrowLeft") {
      const mark = selection.selectMark(key === "ArrowRight" ? 1 : -1);
      if (mark) moveTo(placeOf(stretches, mark.from));
    } else if (key === "Enter" && event.target === event.currentTarget) {
      const lane = model.lanes[selected];
      if (lane) open(lane.id, chosen?.seq);
    } else return;
    event.preventDefault();
  };
  const isVisible = (id: string) => {
    const nth = places.get(id);
    return nth !== undefined && (nth === -1 || (nth >= first && nth < first + DRAWN_LANES));
  };
  const arrows = model.arrows.filter(({ from, to }) => isVisible(from) && isVisible(to));
  const isOfInterest = ({ from, to }: (typeof arrows)[number]) => from === pointed || to === pointed || from === model.lanes[selected]?.id;
  const yOf = (nth: number) => AXIS_PX + (nth + 1) * laneHeight;
  return {
    scroller,
    look,
    moveTo,
    view,
    width,
    height,
    laneHeight,
    yOf,
    first,
    shown: model.lanes.slice(first, first + DRAWN_LANES),
    arrows: arrows.length > MAX_ARROWS ? arrows.filter(isOfInterest) : arrows,
    middleOf: (id: string) => yOf(places.get(id) ?? 0) + laneHeight / 2,
    selected,
    chosen,
    pointed,
    point,
    open,
    onKeyDown,
  };
}

export type LanesView = ReturnType<typeof useLanes>;

/** The selected lane, and the selected mark in it; without one the lane itself is selected. */
function useSelection({ lanes }: Timeline) {
  const [selected, select] = useState(0);
  const [nth, setNth] = useState<number>();
  const marks = useMemo<Lane["marks"]>(() => lanes[selected]?.marks.toSorted((a, b) => a.from - b.from) ?? [], [lanes, selected]);
  return {
    selected,
    chosen: nth === undefined ? undefined : marks[Math.min(nth, marks.length - 1)],
    selectLane: (by: number) => {
      select(Math.min(lanes.length - 1, Math.max(0, selected + by)));
      setNth(undefined);
    },
    selectMark: (by: number) => {
      const next = nth === undefined ? (by > 0 ? 0 : marks.length - 1) : Math.min(marks.length - 1, Math.max(0, nth + by));
      setNth(next);
      return marks[next];
    },
  };
}

/** Keeps the centre centred and the end at the end when the zoom changes or time passes. */
function useScroller(stretches: readonly Stretch[], height: number, chosenAt: number | undefined, setTop: (top: number) => void) {
  const scroller = useRef<HTMLDivElement>(null);
  const middle = useRef<number>(undefined);
  const [view, setView] = useState<Window>({ from: 0, to: 1 });
  const last = stretches.at(-1);
  const width = (last ? last.left + last.width : 0) + 24;
  const look = () => {
    const element = scroller.current;
    if (!element) return;
    setTop(element.scrollTop);
    const shownWidth = element.clientWidth - GUTTER_PX;
    middle.current = timeAt(stretches, element.scrollLeft + shownWidth / 2);
    setView({ from: element.scrollLeft / width, to: Math.min(1, (element.scrollLeft + shownWidth) / width) });
  };
  const moveTo = (x: number) => {
    const element = scroller.current;
    if (element) element.scrollLeft = x - (element.clientWidth - GUTTER_PX) / 2;
  };
  useLayoutEffect(() => {
    const element = scroller.current;
    const centre = chosenAt ?? middle.current;
    if (element && view.to > 0.999 && view.from > 0) element.scrollLeft = element.scrollWidth;
    else if (centre !== undefined) moveTo(placeOf(stretches, centre));
    look();
  }, [stretches, height]);
  // Focus the picture on opening, so its keys work, unless something else has the focus.
  useEffect(() => {
    if (isFocusNowhere()) scroller.current?.focus({ preventScroll: true });
  }, []);
  return { view, scroller, look, moveTo, width };
}
