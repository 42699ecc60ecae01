import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Loaded } from "../dialog/dialog-column.tsx";
import { nodeOf } from "../dialog/state-sentence.ts";
import { agentColour } from "../parts/agent-badge.tsx";
import { StateGlyph } from "../parts/state-glyph.tsx";
import { useTheme, useWords } from "../state/appearance.ts";
import { duration } from "../state/duration.ts";
import { isFocusNowhere } from "../state/list-keys.ts";
import { go } from "../state/router.ts";
import { ArrowPath } from "./arrow-path.tsx";
import { LaneMarks } from "./lane-marks.tsx";
import { Minimap, type Window } from "./minimap.tsx";
import { PeopleRow } from "./people-row.tsx";
import { AXIS_PX, TimeAxis } from "./time-axis.tsx";
import { type Lane, PEOPLE, placeOf, type Stretch, timeAt, type Timeline } from "./timeline-model.ts";

const LANE_PX = 34;
const SMALL_LANE_PX = 18;
const MAX_TALL_LANES = 60;
/** Names stand here, to the left of the picture. */
export const GUTTER_PX = 220;
const MAX_ARROWS = 150;

interface Props {
  readonly model: Timeline;
  readonly stretches: readonly Stretch[];
  readonly path: ReadonlySet<string> | undefined;
  readonly tree: Loaded["tree"];
  readonly projectId: string;
  readonly agentName: (id: string) => string;
  readonly onZoom: (by: number) => void;
}

/** The picture. Lanes that are not in view are not drawn. */
export function Lanes({ model, stretches, path, tree, projectId, agentName, onZoom }: Props) {
  const words = useWords();
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [pointed, point] = useState<string>();
  const [selected, select] = useState(0);
  /** Of the selected lane, by the number of its mark in time; none: the lane itself. */
  const [event, setEvent] = useState<number>();
  const [view, setView] = useState<Window>({ from: 0, to: 1 });
  const [, isDark] = useTheme();
  const laneHeight = model.lanes.length > MAX_TALL_LANES ? SMALL_LANE_PX : LANE_PX;
  const last = stretches.at(-1);
  const width = (last ? last.left + last.width : 0) + 24;
  const height = AXIS_PX + (model.lanes.length + 1) * laneHeight;
  const yOf = (nth: number) => AXIS_PX + (nth + 1) * laneHeight;
  const first = Math.max(0, Math.floor((top - AXIS_PX) / laneHeight) - 4);
  const shown = model.lanes.slice(first, first + 64);
  const places = useMemo(() => new Map([[PEOPLE, -1], ...model.lanes.map((lane, nth) => [lane.id, nth] as const)]), [model.lanes]);
  const visible = (id: string) => {
    const nth = places.get(id);
    return nth !== undefined && (nth === -1 || (nth >= first && nth < first + 64));
  };
  const arrows = model.arrows.filter(({ from, to }) => visible(from) && visible(to));
  const drawn =
    arrows.length > MAX_ARROWS
      ? arrows.filter(({ from, to }) => from === pointed || to === pointed || from === model.lanes[selected]?.id)
      : arrows;
  const colour = (agent: string) => agentColour(agent, isDark);
  const events = useMemo(() => model.lanes[selected]?.marks.toSorted((a, b) => a.from - b.from) ?? [], [model.lanes, selected]);
  const chosen = event === undefined ? undefined : events[Math.min(event, events.length - 1)];
  const middle = useRef<number>(undefined);
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
  // Whatever the zoom and however time goes on: what one looks at stays in the middle, and the end stays at the end.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && view.to > 0.999 && view.from > 0) element.scrollLeft = element.scrollWidth;
    else if (chosen) moveTo(placeOf(stretches, chosen.from));
    else if (middle.current !== undefined) moveTo(placeOf(stretches, middle.current));
    look();
  }, [stretches, height]);
  // Its keys work at once, unless one is at something else.
  useEffect(() => {
    if (isFocusNowhere()) scroller.current?.focus({ preventScroll: true });
  }, []);
  const step = (by: number) => {
    const next = event === undefined ? (by > 0 ? 0 : events.length - 1) : Math.min(events.length - 1, Math.max(0, event + by));
    setEvent(next);
    const mark = events[next];
    if (mark) moveTo(placeOf(stretches, mark.from));
  };
  const open = (lane: Lane, seq?: number) => go({ page: "dialog", projectId, dialogId: lane.id, ...(seq !== undefined && { seq }) });
  return (
    <div className="flex h-full flex-col">
      <div
        ref={scroller}
        className="min-h-0 flex-1 overflow-auto bg-page"
        role="group"
        aria-label={words.time.label}
        tabIndex={0}
        onScroll={look}
        onWheel={({ ctrlKey, metaKey, deltaY }) => (ctrlKey || metaKey) && onZoom(deltaY < 0 ? 1.2 : 1 / 1.2)}
        onKeyDown={(pressed) => {
          const { key } = pressed;
          if (key === "ArrowDown" || key === "ArrowUp") {
            select(Math.min(model.lanes.length - 1, Math.max(0, selected + (key === "ArrowDown" ? 1 : -1))));
            setEvent(undefined);
          } else if (key === "ArrowRight") step(1);
          else if (key === "ArrowLeft") step(-1);
          else if (key === "Enter" && pressed.target === pressed.currentTarget) {
            const lane = model.lanes[selected];
            if (lane) open(lane, chosen?.seq);
          } else return;
          pressed.preventDefault();
        }}
      >
        <div className="relative" style={{ width: GUTTER_PX + width, height }}>
          <div className="sticky left-0 z-10 border-r border-line bg-panel" style={{ width: GUTTER_PX, height }}>
            <div
              className="absolute flex w-full items-center gap-2 px-3 text-[13px] text-muted"
              style={{ top: AXIS_PX, height: laneHeight }}
            >
              <span className="w-4 text-center text-await">◆</span> {words.time.people}
            </div>
            {shown.map((lane, nth) => {
              const node = nodeOf(tree, lane.id);
              const place = first + nth;
              return (
                <button
                  key={lane.id}
                  type="button"
                  onClick={() => open(lane)}
                  onPointerEnter={() => point(lane.id)}
                  onPointerLeave={() => point(undefined)}
                  className={`absolute flex w-full items-center gap-1.5 overflow-hidden pr-2 text-left text-[13px] hover:bg-hover ${place === selected ? "bg-hover" : ""}`}
                  style={{ top: yOf(place), height: laneHeight, paddingLeft: 12 + lane.depth * 14 }}
                >
                  {node && <StateGlyph state={node.state} />}
                  <span className="shrink-0 font-medium" style={{ color: colour(lane.agent) }}>
                    {agentName(lane.agent)}
                  </span>
                  <span className="truncate text-xs text-muted">{lane.depth === 0 ? "" : lane.title}</span>
                </button>
              );
            })}
          </div>
          <svg aria-hidden="true" className="absolute top-0" style={{ left: GUTTER_PX + 12 }} width={width - 12} height={height}>
            <defs>
              <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <rect width="2.4" height="5" fill="var(--panel)" opacity="0.55" />
              </pattern>
              <marker id="tip" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="5" markerHeight="5" orient="auto-start-reverse">
                <path d="M0 0L6 3L0 6z" fill="var(--muted)" />
              </marker>
            </defs>
            <TimeAxis stretches={stretches} height={height} model={model} />
            <PeopleRow
              model={model}
              stretches={stretches}
              y={AXIS_PX}
              laneHeight={laneHeight}
              onOpen={(lane, seq) => go({ page: "dialog", projectId, dialogId: lane, seq })}
            />
            {shown.map((lane, nth) => (
              <LaneMarks
                key={lane.id}
                lane={lane}
                y={yOf(first + nth)}
                laneHeight={laneHeight}
                stretches={stretches}
                path={path}
                isDark={isDark}
                agentName={agentName}
                chosen={first + nth === selected ? chosen : undefined}
                onOpen={(seq) => open(lane, seq)}
                onPoint={(isOn) => point(isOn ? lane.id : undefined)}
              />
            ))}
            {drawn.map((arrow) => (
              <ArrowPath
                key={`${arrow.kind} ${arrow.seq}`}
                arrow={arrow}
                x={placeOf(stretches, arrow.at)}
                from={yOf(places.get(arrow.from) ?? 0) + laneHeight / 2}
                to={yOf(places.get(arrow.to) ?? 0) + laneHeight / 2}
                isStrong={pointed === arrow.from || pointed === arrow.to}
              />
            ))}
          </svg>
        </div>
      </div>
      <p role="status" className="sr-only">
        {chosen &&
          `${agentName(model.lanes[selected]?.agent ?? "")}: ${words.time.kinds[chosen.kind]} ${chosen.label}, ${duration(chosen.to - chosen.from, words)}`}
      </p>
      {view.to - view.from < 0.99 && (
        <Minimap model={model} stretches={stretches} view={view} onMove={(middle) => moveTo(middle * width)} />
      )}
    </div>
  );
}
