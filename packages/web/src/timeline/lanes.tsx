import type { Loaded } from "../dialog/dialog-column.tsx";
import { useWords } from "../state/appearance.ts";
import { duration } from "../state/duration.ts";
import { LaneNames } from "./lane-names.tsx";
import { LanePicture } from "./lane-picture.tsx";
import { Minimap } from "./minimap.tsx";
import type { Stretch } from "./time-scale.ts";
import type { Timeline } from "./timeline.ts";
import { GUTTER_PX, useLanes } from "./use-lanes.ts";

export interface LanesProps {
  readonly model: Timeline;
  readonly stretches: readonly Stretch[];
  readonly path: ReadonlySet<string> | undefined;
  readonly tree: Loaded["tree"];
  readonly projectId: string;
  readonly agentName: (id: string) => string;
  readonly onZoom: (by: number) => void;
}

/** The picture. Lanes that are not in view are not drawn. */
export function Lanes(props: LanesProps) {
  const { model, stretches, projectId, agentName, onZoom } = props;
  const words = useWords();
  const lanes = useLanes(model, stretches, projectId);
  const { scroller, chosen, view, width, height } = lanes;
  return (
    <div className="flex h-full flex-col">
      <div
        ref={scroller}
        className="min-h-0 flex-1 overflow-auto bg-page"
        role="group"
        aria-label={words.time.label}
        tabIndex={0}
        onScroll={lanes.look}
        onWheel={({ ctrlKey, metaKey, deltaY }) => (ctrlKey || metaKey) && onZoom(deltaY < 0 ? 1.2 : 1 / 1.2)}
        onKeyDown={lanes.onKeyDown}
      >
        <div className="relative" style={{ width: GUTTER_PX + width, height }}>
          <LaneNames {...props} lanes={lanes} />
          <LanePicture {...props} lanes={lanes} />
        </div>
      </div>
      <p role="status" className="sr-only">
        {chosen &&
          `${agentName(model.lanes[lanes.selected]?.agent ?? "")}: ${words.time.kinds[chosen.kind]} ${chosen.label}, ${duration(chosen.to - chosen.from, words)}`}
      </p>
      {view.to - view.from < 0.99 && (
        <Minimap model={model} stretches={stretches} view={view} onMove={(middle) => lanes.moveTo(middle * width)} />
      )}
    </div>
  );
}
