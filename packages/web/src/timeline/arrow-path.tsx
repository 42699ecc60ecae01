import { type Arrow, PEOPLE } from "./timeline.ts";

/** An arrow with rounded elbows. */
export function ArrowPath({
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
