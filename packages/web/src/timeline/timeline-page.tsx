import { useProject } from "@colloquy/react";
import type { Loaded } from "../dialog/dialog-column.tsx";
import { Link } from "../parts/link.tsx";
import { useWords } from "../state/appearance.ts";
import { LaneTable } from "./lane-table.tsx";
import { Lanes } from "./lanes.tsx";
import { TimelineButtons } from "./timeline-buttons.tsx";
import { TreeSentence } from "./tree-sentence.tsx";
import { useTimeline } from "./use-timeline.ts";

interface Props {
  readonly projectId: string;
  readonly dialogId: string;
  readonly isPhone: boolean;
}

/** A tree over time: a lane per dialog, arrows for asks and answers, waiting drawn as waiting. */
export function TimelinePage({ projectId, dialogId, isPhone }: Props) {
  const words = useWords();
  const { agentName } = useProject(projectId);
  const view = useTimeline(projectId, dialogId, isPhone);
  const { dialog, model, stretches, path } = view;
  if (dialog.problem) return <p className="m-auto text-muted">{dialog.problem.message}</p>;
  if (!dialog.view) return null;
  const loaded = dialog as Loaded;
  const lanes = { model, tree: loaded.tree, projectId, agentName };
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <header className="flex flex-wrap items-center gap-2 border-b border-line bg-panel px-5 py-2">
        <div className="min-w-0 flex-1 basis-64">
          {isPhone && (
            <Link to={{ page: "dialog", projectId, dialogId }} className="-my-1 py-1 text-xs text-muted">
              ← {words.back}
            </Link>
          )}
          <h1 className="truncate font-semibold">
            <Link to={{ page: "dialog", projectId, dialogId }} className="hover:underline">
              {loaded.view.title}
            </Link>
          </h1>
          <p className="text-[13px] text-muted" role="status">
            <TreeSentence dialog={loaded} agentName={agentName} projectId={projectId} />
          </p>
        </div>
        <TimelineButtons view={view} />
      </header>
      <div ref={view.box} className="min-h-0 flex-1 overflow-hidden">
        {view.isTable ? <LaneTable {...lanes} /> : <Lanes {...lanes} stretches={stretches} path={path} onZoom={view.zoomBy} />}
      </div>
      {model.lanes.length === 1 && (
        <p className="border-t border-line px-5 py-3 text-[13px] text-muted">{words.time.oneLane(agentName(loaded.view.agentId))}</p>
      )}
      {view.isCut && <p className="border-t border-line px-5 py-2 text-[13px] text-muted">{words.time.notAll}</p>}
    </div>
  );
}
