import { useTheme } from "../state/appearance.ts";
import { ArrowPath } from "./arrow-path.tsx";
import { LaneMarks } from "./lane-marks.tsx";
import type { LanesProps } from "./lanes.tsx";
import { PeopleRow } from "./people-row.tsx";
import { AXIS_PX, TimeAxis } from "./time-axis.tsx";
import { placeOf } from "./time-scale.ts";
import { GUTTER_PX, type LanesView } from "./use-lanes.ts";

/** Axis, marks and arrows. */
export function LanePicture({ lanes, model, stretches, path, agentName }: LanesProps & { readonly lanes: LanesView }) {
  const [, isDark] = useTheme();
  const { width, height, laneHeight, first, selected, chosen, pointed, point, open } = lanes;
  return (
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
      <PeopleRow model={model} stretches={stretches} y={AXIS_PX} laneHeight={laneHeight} onOpen={open} />
      {lanes.shown.map((lane, nth) => (
        <LaneMarks
          key={lane.id}
          lane={lane}
          y={lanes.yOf(first + nth)}
          laneHeight={laneHeight}
          stretches={stretches}
          path={path}
          isDark={isDark}
          agentName={agentName}
          chosen={first + nth === selected ? chosen : undefined}
          onOpen={(seq) => open(lane.id, seq)}
          onPoint={(isOn) => point(isOn ? lane.id : undefined)}
        />
      ))}
      {lanes.arrows.map((arrow) => (
        <ArrowPath
          key={`${arrow.kind} ${arrow.seq}`}
          arrow={arrow}
          x={placeOf(stretches, arrow.at)}
          from={lanes.middleOf(arrow.from)}
          to={lanes.middleOf(arrow.to)}
          isStrong={pointed === arrow.from || pointed === arrow.to}
        />
      ))}
    </svg>
  );
}
