import { placeOf, type Stretch } from "./time-scale.ts";
import type { Timeline } from "./timeline.ts";

/** Questions to people: how long each was open, and the answer. */
export function PeopleRow({
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
