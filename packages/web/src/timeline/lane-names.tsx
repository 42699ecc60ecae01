import { nodeOf } from "../dialog/state-sentence.ts";
import { agentColour } from "../parts/agent-badge.tsx";
import { StateGlyph } from "../parts/state-glyph.tsx";
import { useTheme, useWords } from "../state/appearance.ts";
import type { LanesProps } from "./lanes.tsx";
import { AXIS_PX } from "./time-axis.tsx";
import { GUTTER_PX, type LanesView } from "./use-lanes.ts";

/** The column with a name for each lane. */
export function LaneNames({ lanes, tree, agentName }: LanesProps & { readonly lanes: LanesView }) {
  const words = useWords();
  const [, isDark] = useTheme();
  const { height, laneHeight, first, selected, point } = lanes;
  return (
    <div className="sticky left-0 z-10 border-r border-line bg-panel" style={{ width: GUTTER_PX, height }}>
      <div className="absolute flex w-full items-center gap-2 px-3 text-[13px] text-muted" style={{ top: AXIS_PX, height: laneHeight }}>
        <span className="w-4 text-center text-await">◆</span> {words.time.people}
      </div>
      {lanes.shown.map((lane, nth) => {
        const node = nodeOf(tree, lane.id);
        const place = first + nth;
        return (
          <button
            key={lane.id}
            type="button"
            onClick={() => lanes.open(lane.id)}
            onPointerEnter={() => point(lane.id)}
            onPointerLeave={() => point(undefined)}
            className={`absolute flex w-full items-center gap-1.5 overflow-hidden pr-2 text-left text-[13px] hover:bg-hover ${place === selected ? "bg-hover" : ""}`}
            style={{ top: lanes.yOf(place), height: laneHeight, paddingLeft: 12 + lane.depth * 14 }}
          >
            {node && <StateGlyph state={node.state} />}
            <span className="shrink-0 font-medium" style={{ color: agentColour(lane.agent, isDark) }}>
              {agentName(lane.agent)}
            </span>
            <span className="truncate text-xs text-muted">{lane.depth === 0 ? "" : lane.title}</span>
          </button>
        );
      })}
    </div>
  );
}
