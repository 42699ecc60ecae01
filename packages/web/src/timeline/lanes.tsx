import { memo, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Loaded } from "../dialog/dialog-column.tsx";
import { nodeOf } from "../dialog/state-sentence.ts";
import { agentColour } from "../parts/agent-badge.tsx";
import { StateGlyph } from "../parts/state-glyph.tsx";
import { useLanguage, useTheme, useWords } from "../state/appearance.ts";
import { clock, clockWithSeconds, day, duration } from "../state/duration.ts";
import { go } from "../state/router.ts";
import { Minimap, type Window } from "./minimap.tsx";
import { type Arrow, type Lane, type Mark, PEOPLE, placeOf, type Stretch, timeAt, type Timeline } from "./timeline-model.ts";

const LANE_PX = 34;
const SMALL_LANE_PX = 18;
const MANY_LANES = 60;
const AXIS_PX = 30;
const GUTTER_PX = 220;
const MOST_ARROWS = 150;
/** Marks that would be thinner are drawn together. */
const LEAST_PX = 2;

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
  const laneHeight = model.lanes.length > MANY_LANES ? SMALL_LANE_PX : LANE_PX;
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
    arrows.length > MOST_ARROWS
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
            <Axis stretches={stretches} height={height} model={model} />
            <People
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

/** Clock times on both sides of a fold, and how long it was. */
function Axis({ stretches, height, model }: { readonly stretches: readonly Stretch[]; readonly height: number; readonly model: Timeline }) {
  const words = useWords();
  const [language] = useLanguage();
  const isShort = model.to - model.from < 600_000;
  const label = (at: number, before: number | undefined) => {
    const time = isShort ? clockWithSeconds(at, language) : clock(at, language);
    return before === undefined || new Date(at).toDateString() === new Date(before).toDateString() ? time : `${day(at, language)} ${time}`;
  };
  let lastTick = -100;
  const ticks: { readonly x: number; readonly text: string }[] = [];
  for (const stretch of stretches) {
    if (stretch.isFolded) continue;
    const count = Math.max(1, Math.floor(stretch.width / 120));
    for (let nth = 0; nth < count; nth++) {
      const at = stretch.from + ((stretch.to - stretch.from) * nth) / count;
      const x = stretch.left + (stretch.width * nth) / count;
      if (x - lastTick < 70) continue;
      lastTick = x;
      ticks.push({ x, text: label(at, stretches[0]?.from) });
    }
  }
  return (
    <g>
      {ticks.map(({ x, text }) => (
        <g key={x}>
          <line x1={x} x2={x} y1={AXIS_PX - 6} y2={height} stroke="var(--line)" />
          <text x={x + 4} y={14} fontSize="11" fill="var(--muted)">
            {text}
          </text>
        </g>
      ))}
      {stretches
        .filter(({ isFolded }) => isFolded)
        .map(({ left, width, from, to }) => (
          <g key={from}>
            <rect x={left} y={0} width={width} height={height} fill="var(--sunken)" />
            <path d={zigzag(left + 3, AXIS_PX - 6, height)} fill="none" stroke="var(--line)" strokeWidth="1.5" />
            <path d={zigzag(left + width - 3, AXIS_PX - 6, height)} fill="none" stroke="var(--line)" strokeWidth="1.5" />
            <text x={left + width / 2} y={13} fontSize="11" fontWeight="600" fill="var(--ink)" textAnchor="middle">
              {duration(to - from, words)}
            </text>
            <Awaited model={model} from={from} to={to} x={left + width / 2} />
          </g>
        ))}
    </g>
  );
}

/** Of a time in which nobody worked: for whom it was waited. */
function Awaited({ model, from, to, x }: { readonly model: Timeline; readonly from: number; readonly to: number; readonly x: number }) {
  const words = useWords();
  const middle = (from + to) / 2;
  const one = model.people.find((decision) => decision.from <= middle && (decision.to ?? model.to) >= middle);
  if (!one) return null;
  const whom = one.by ?? words.time.person;
  return (
    <text x={x} y={25} fontSize="10" fill="var(--await)" textAnchor="middle">
      <title>{words.time.foldedFor(duration(to - from, words), whom)}</title>◆ {whom.length > 9 ? `${whom.slice(0, 8)}…` : whom}
    </text>
  );
}

function zigzag(x: number, from: number, to: number): string {
  let path = `M${x} ${from}`;
  for (let y = from; y < to; y += 8) path += `l3 4l-3 4`;
  return path;
}

function People({
  model,
  stretches,
  y,
  laneHeight,
  onOpen,
}: {
  readonly model: Timeline;
  readonly stretches: readonly Stretch[];
  readonly y: number;
  readonly laneHeight: number;
  readonly onOpen: (lane: string, seq: number) => void;
}) {
  const middle = y + laneHeight / 2;
  return (
    <g>
      {model.people.map((one) => {
        const x = placeOf(stretches, one.from);
        const end = placeOf(stretches, one.to ?? model.to);
        return (
          <g key={one.id} className="cursor-pointer" onClick={() => onOpen(one.lane, one.seq)}>
            <title>{`${one.headline}${one.answer === undefined ? "" : ` — ${one.by ?? ""}: ${one.answer}`}`}</title>
            <rect x={x} y={middle - 4} width={Math.max(3, end - x)} height={8} rx={4} fill="var(--await-soft)" stroke="var(--await-line)" />
            <path d={`M${x} ${middle - 6}l6 6l-6 6l-6 -6z`} fill="var(--await-line)" />
            {one.answer !== undefined && laneHeight > 20 && (
              <text x={end + 6} y={middle + 4} fontSize="11" fill="var(--ink)">
                {one.answer.slice(0, 28)}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}

const LaneMarks = memo(function LaneMarks({
  lane,
  y,
  laneHeight,
  stretches,
  path,
  isDark,
  agentName,
  chosen,
  onOpen,
  onPoint,
}: {
  readonly lane: Lane;
  readonly y: number;
  readonly laneHeight: number;
  readonly stretches: readonly Stretch[];
  readonly path: ReadonlySet<string> | undefined;
  readonly isDark: boolean;
  readonly agentName: (id: string) => string;
  /** The one that keys have led to. */
  readonly chosen: Mark | undefined;
  readonly onOpen: (seq: number) => void;
  readonly onPoint: (isOn: boolean) => void;
}) {
  const words = useWords();
  const colour = agentColour(lane.agent, isDark);
  const middle = y + laneHeight / 2;
  const bar = laneHeight > 20 ? 16 : 9;
  const placed = useMemo(() => together(lane.marks, stretches), [lane.marks, stretches]);
  return (
    <g onPointerEnter={() => onPoint(true)} onPointerLeave={() => onPoint(false)}>
      <line
        x1={placeOf(stretches, lane.start)}
        x2={(stretches.at(-1)?.left ?? 0) + (stretches.at(-1)?.width ?? 0)}
        y1={y + laneHeight - 0.5}
        y2={y + laneHeight - 0.5}
        stroke="var(--line)"
        opacity="0.7"
      />
      {placed.map(({ mark, x, width }) => {
        const isFaded = path !== undefined && !path.has(`${lane.id} ${mark.seq}`);
        const took = duration(mark.to - mark.from, words);
        const title =
          mark.kind === "waitPerson"
            ? `${words.stateSentence.waitsForYou(agentName(lane.agent))} · ${took} · ${mark.label}`
            : mark.kind === "waitAgent"
              ? `${words.stateSentence.waitsFor(agentName(lane.agent), [agentName(mark.whom ?? "")])} · ${took}`
              : `${mark.label} · ${took}`;
        return (
          <g
            key={`${mark.kind} ${mark.seq} ${mark.from}`}
            opacity={isFaded ? 0.22 : 1}
            className="cursor-pointer"
            onClick={() => onOpen(mark.seq)}
          >
            <title>{title}</title>
            <Shape mark={mark} x={x} width={width} middle={middle} bar={bar} colour={colour} isDark={isDark} laneHeight={laneHeight} />
          </g>
        );
      })}
      {chosen && (
        <rect
          x={placeOf(stretches, chosen.from) - 3}
          y={y + 2}
          width={Math.max(LEAST_PX, placeOf(stretches, chosen.to) - placeOf(stretches, chosen.from)) + 6}
          height={laneHeight - 4}
          rx={5}
          fill="none"
          stroke="var(--accent)"
          strokeWidth="2"
        />
      )}
      {lane.flags.map(({ at, kind, seq }) => (
        <text
          key={seq}
          x={placeOf(stretches, at)}
          y={middle + 4}
          fontSize="11"
          fill={kind === "died" ? "var(--fail)" : "var(--muted)"}
          textAnchor="middle"
        >
          {kind === "died" ? "✕" : "▾"}
        </text>
      ))}
    </g>
  );
});

function Shape({
  mark,
  x,
  width,
  middle,
  bar,
  colour,
  isDark,
  laneHeight,
}: {
  readonly mark: Mark;
  readonly x: number;
  readonly width: number;
  readonly middle: number;
  readonly bar: number;
  readonly colour: string;
  readonly isDark: boolean;
  readonly laneHeight: number;
}) {
  switch (mark.kind) {
    case "model":
      return <rect x={x} y={middle - bar / 2} width={width} height={bar} rx={3} fill={colour} />;
    case "tool":
      return (
        <>
          <rect x={x} y={middle - bar / 2} width={width} height={bar} rx={3} fill={colour} />
          <rect x={x} y={middle - bar / 2} width={width} height={bar} rx={3} fill="url(#hatch)" />
          {width >= 60 && (
            <text x={x + 5} y={middle + 4} fontSize="10" fill="var(--on-accent)">
              {mark.label}
            </text>
          )}
        </>
      );
    case "waitAgent":
      return (
        <line
          x1={x}
          x2={x + width}
          y1={middle}
          y2={middle}
          stroke={agentColour(mark.whom ?? "", isDark)}
          strokeWidth="2"
          strokeDasharray="5 4"
        />
      );
    case "waitPerson":
      return (
        <>
          <rect x={x} y={middle - laneHeight / 2 + 3} width={width} height={laneHeight - 6} rx={4} fill="var(--await-soft)" />
          <line x1={x} x2={x + width} y1={middle} y2={middle} stroke="var(--await-line)" strokeWidth="2" />
        </>
      );
    case "stopped":
      return <line x1={x} x2={x + width} y1={middle} y2={middle} stroke="var(--muted)" strokeWidth="4" opacity="0.5" />;
  }
}

/** Waiting is drawn first, work over it; what is too thin to be told apart is one block. */
function together(
  marks: readonly Mark[],
  stretches: readonly Stretch[],
): readonly { readonly mark: Mark; readonly x: number; readonly width: number }[] {
  const waits: { mark: Mark; x: number; width: number }[] = [];
  const works: { mark: Mark; x: number; width: number }[] = [];
  for (const mark of marks) {
    const x = placeOf(stretches, mark.from);
    const width = Math.max(LEAST_PX, placeOf(stretches, mark.to) - x);
    const isWork = mark.kind === "model" || mark.kind === "tool";
    const last = works.at(-1);
    if (isWork && last && width <= LEAST_PX && x - (last.x + last.width) < 1) last.width = Math.max(last.width, x + width - last.x);
    else (isWork ? works : waits).push({ mark, x, width });
  }
  return [...waits, ...works];
}

/** Rounded elbows, from whoever asks or answers. */
function ArrowPath({
  arrow,
  x,
  from,
  to,
  isStrong,
}: {
  readonly arrow: Arrow;
  readonly x: number;
  readonly from: number;
  readonly to: number;
  readonly isStrong: boolean;
}) {
  const isPerson = arrow.kind === "question" || (arrow.kind === "reply" && arrow.from === PEOPLE);
  const down = to > from ? 1 : -1;
  const reach = Math.max(0, Math.abs(to - from) - 8);
  return (
    <path
      d={`M${x - 5} ${from}q5 0 5 ${5 * down}v${(reach - 10) * down}`}
      fill="none"
      stroke={isPerson ? "var(--await-line)" : "var(--muted)"}
      strokeWidth={isStrong ? 1.8 : 1.1}
      opacity={isStrong ? 1 : 0.4}
      markerEnd="url(#tip)"
      pointerEvents="none"
    />
  );
}
