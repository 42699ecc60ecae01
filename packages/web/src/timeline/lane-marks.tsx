import { memo, useMemo } from "react";
import { agentColour } from "../parts/agent-badge.tsx";
import { useWords } from "../state/appearance.ts";
import { duration } from "../state/duration.ts";
import type { Words } from "../words.ts";
import { placeOf, type Stretch } from "./time-scale.ts";
import type { Lane, Mark } from "./timeline.ts";

/** Marks that would be thinner are drawn together. */
const MIN_PX = 2;

interface Props {
  readonly lane: Lane;
  readonly y: number;
  readonly laneHeight: number;
  readonly stretches: readonly Stretch[];
  readonly path: ReadonlySet<string> | undefined;
  readonly isDark: boolean;
  readonly agentName: (id: string) => string;
  /** The mark selected by keyboard. */
  readonly chosen: Mark | undefined;
  readonly onOpen: (seq: number) => void;
  readonly onPoint: (isOn: boolean) => void;
}

/** One lane: what an agent did, and whom it waited for. */
export const LaneMarks = memo(function LaneMarks({
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
}: Props) {
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
        return (
          <g
            key={`${mark.kind} ${mark.seq} ${mark.from}`}
            opacity={isFaded ? 0.22 : 1}
            className="cursor-pointer"
            onClick={() => onOpen(mark.seq)}
          >
            <title>{titleOf(mark, agentName(lane.agent), agentName, words)}</title>
            <Shape mark={mark} x={x} width={width} middle={middle} bar={bar} colour={colour} isDark={isDark} laneHeight={laneHeight} />
          </g>
        );
      })}
      {chosen && (
        <rect
          x={placeOf(stretches, chosen.from) - 3}
          y={y + 2}
          width={Math.max(MIN_PX, placeOf(stretches, chosen.to) - placeOf(stretches, chosen.from)) + 6}
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

function titleOf({ kind, from, to, label, whom = "" }: Mark, name: string, agentName: Props["agentName"], words: Words): string {
  const took = duration(to - from, words);
  if (kind === "waitPerson") return `${words.stateSentence.waitsForYou(name)} · ${took} · ${label}`;
  return `${kind === "waitAgent" ? words.stateSentence.waitsFor(name, [agentName(whom)]) : label} · ${took}`;
}

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

/** Draws waiting first and work over it; merges marks that are too thin to tell apart. */
function together(
  marks: readonly Mark[],
  stretches: readonly Stretch[],
): readonly { readonly mark: Mark; readonly x: number; readonly width: number }[] {
  const waits: { mark: Mark; x: number; width: number }[] = [];
  const works: { mark: Mark; x: number; width: number }[] = [];
  for (const mark of marks) {
    const x = placeOf(stretches, mark.from);
    const width = Math.max(MIN_PX, placeOf(stretches, mark.to) - x);
    const isWork = mark.kind === "model" || mark.kind === "tool";
    const last = works.at(-1);
    if (isWork && last && width <= MIN_PX && x - (last.x + last.width) < 1) last.width = Math.max(last.width, x + width - last.x);
    else (isWork ? works : waits).push({ mark, x, width });
  }
  return [...waits, ...works];
}
