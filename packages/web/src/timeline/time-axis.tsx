import { useLanguage, useWords } from "../state/appearance.ts";
import { clock, clockWithSeconds, day, duration } from "../state/duration.ts";
import { type Stretch, ticksOn } from "./time-scale.ts";
import type { Timeline } from "./timeline.ts";

export const AXIS_PX = 30;

/** Clock times on both sides of a fold, and how long it was. */
export function TimeAxis({
  stretches,
  height,
  model,
}: {
  readonly stretches: readonly Stretch[];
  readonly height: number;
  readonly model: Timeline;
}) {
  const words = useWords();
  const [language] = useLanguage();
  const { step, ticks } = ticksOn(stretches, new Date().getTimezoneOffset() * 60_000);
  const label = (at: number, before: number | undefined) => {
    const time = step < 60_000 ? clockWithSeconds(at, language) : clock(at, language);
    return before === undefined || new Date(at).toDateString() === new Date(before).toDateString() ? time : `${day(at, language)} ${time}`;
  };
  return (
    <g>
      {ticks.map(({ x, at }) => (
        <g key={x}>
          <line x1={x} x2={x} y1={AXIS_PX - 6} y2={height} stroke="var(--line)" />
          <text x={x + 4} y={14} fontSize="11" fill="var(--muted)">
            {label(at, stretches[0]?.from)}
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

/** Whom everybody waited for during a folded stretch. */
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
