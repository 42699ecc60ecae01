import { useDialog, useProject } from "@colloquy/react";
import { useEffect, useMemo, useRef, useState } from "react";
import { isPlainKey, isTextField } from "../inbox/answer/arming.ts";
import { allOf, nodeOf } from "../dialog/state-sentence.ts";
import type { Loaded } from "../dialog/dialog-column.tsx";
import { Link } from "../parts/link.tsx";
import { useWords } from "../state/appearance.ts";
import { useNow } from "../state/now.ts";
import { GUTTER_PX, Lanes } from "./lanes.tsx";
import { LaneTable } from "./lane-table.tsx";
import { axis, criticalPath, timeline } from "./timeline-model.ts";

const MAX_EVENTS = 40_000;

/** A tree over time: a lane for each dialog, asks and answers as arrows, waiting to be seen as waiting. */
export function TimelinePage({
  projectId,
  dialogId,
  isPhone,
}: {
  readonly projectId: string;
  readonly dialogId: string;
  readonly isPhone: boolean;
}) {
  const words = useWords();
  const dialog = useDialog(dialogId, projectId);
  const { agentName } = useProject(projectId);
  const [isTable, setTable] = useState(isPhone);
  const [isFolded, setFolded] = useState(true);
  const [isCritical, setCritical] = useState(false);
  const [zoom, setZoom] = useState(1);
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(900);
  const isMoving = dialog.tree !== undefined && !isQuiet(dialog.tree);
  const now = useNow(isMoving ? 1_000 : 3_600_000);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(200, element.clientWidth - GUTTER_PX - 24)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [isTable, dialog.view === undefined]);
  useEffect(() => {
    if (dialog.hasOlder && dialog.events.length < MAX_EVENTS) dialog.loadOlder();
  }, [dialog]);

  const model = useMemo(() => timeline(dialog.events, Math.max(now, Date.now())), [dialog.events, now]);
  const stretches = useMemo(() => axis(model, width, zoom, isFolded), [model, width, zoom, isFolded]);
  const path = useMemo(() => (isCritical ? criticalPath(model) : undefined), [model, isCritical]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isPlainKey(event) || isTextField(document.activeElement as HTMLElement | null)) return;
      if (event.key === "t") setFolded((before) => !before);
      else if (event.key === "c") setCritical((before) => !before);
      else if (event.key === "+" || event.key === "=") setZoom((before) => Math.min(200, before * 1.5));
      else if (event.key === "-") setZoom((before) => Math.max(1, before / 1.5));
      else if (event.key === "0") setZoom(1);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);

  if (dialog.problem) return <p className="m-auto text-muted">{dialog.problem.message}</p>;
  if (!dialog.view) return null;
  const loaded = dialog as Loaded;
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <header className="flex flex-wrap items-center gap-2 border-b border-line bg-panel px-5 py-2">
        <div className="min-w-0 flex-1 basis-64">
          <h1 className="truncate font-semibold">
            <Link to={{ page: "dialog", projectId, dialogId }} className="hover:underline">
              {loaded.view.title}
            </Link>
          </h1>
          <p className="text-[13px] text-muted" role="status">
            <Sentence dialog={loaded} agentName={agentName} projectId={projectId} />
          </p>
        </div>
        {!isTable && (
          <>
            <button type="button" className="button" aria-pressed={isCritical} onClick={() => setCritical(!isCritical)}>
              {isCritical ? "✓ " : ""}
              {words.time.critical} <kbd>c</kbd>
            </button>
            <button type="button" className="button" aria-pressed={!isFolded} onClick={() => setFolded(!isFolded)}>
              {isFolded ? words.time.trueTime : words.time.foldTime} <kbd>t</kbd>
            </button>
            <button
              type="button"
              className="button px-2.5"
              aria-label={words.time.zoomOut}
              onClick={() => setZoom(Math.max(1, zoom / 1.5))}
            >
              −
            </button>
            <button
              type="button"
              className="button px-2.5"
              aria-label={words.time.zoomIn}
              onClick={() => setZoom(Math.min(200, zoom * 1.5))}
            >
              +
            </button>
          </>
        )}
        <button type="button" className="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? words.time.picture : words.time.table}
        </button>
      </header>
      <div ref={box} className="min-h-0 flex-1 overflow-hidden">
        {isTable ? (
          <LaneTable model={model} tree={loaded.tree} projectId={projectId} agentName={agentName} />
        ) : (
          <Lanes
            model={model}
            stretches={stretches}
            path={path}
            tree={loaded.tree}
            projectId={projectId}
            agentName={agentName}
            onZoom={(by) => setZoom(Math.min(200, Math.max(1, zoom * by)))}
          />
        )}
      </div>
      {model.lanes.length === 1 && (
        <p className="border-t border-line px-5 py-3 text-[13px] text-muted">{words.time.oneLane(agentName(loaded.view.agentId))}</p>
      )}
      {dialog.hasOlder && dialog.events.length >= MAX_EVENTS && (
        <p className="border-t border-line px-5 py-2 text-[13px] text-muted">{words.time.notAll}</p>
      )}
    </div>
  );
}

type DialogNode = NonNullable<Loaded["tree"]>;
const isQuiet = (tree: DialogNode): boolean =>
  allOf(tree).every(({ state }) => state === "done" || state === "resting" || state === "archived" || state === "dead");

/** One sentence, always true: what everything waits for, or who is at work. */
function Sentence({
  dialog,
  projectId,
  agentName,
}: {
  readonly dialog: Loaded;
  readonly projectId: string;
  readonly agentName: (id: string) => string;
}) {
  const words = useWords();
  if (!dialog.tree) return null;
  const nodes = allOf(dialog.tree);
  const count = (state: DialogNode["state"]) => nodes.filter((node) => node.state === state).length;
  const asking = nodes.filter(({ questions }) => questions.length > 0);
  const atWork = count("working");
  const [question] = asking.flatMap(({ questions, selfId }) => questions.map((one) => ({ ...one, selfId })));
  if (atWork === 0 && question) {
    const chain = nodes.filter(({ state }) => state === "waiting").map(({ agentId }) => agentName(agentId));
    const asker = nodeOf(dialog.tree, question.selfId);
    return (
      <>
        <span className="font-medium text-await">◆ {words.time.everythingWaits}</span>:{" "}
        {[...chain.slice(0, 3), asker ? agentName(asker.agentId) : ""].filter((one) => one !== "").join(" → ")} →{" "}
        <Link to={{ page: "inbox", projectId, questionId: question.id }} className="underline underline-offset-2">
          {question.headline}
        </Link>
      </>
    );
  }
  const parts = [
    ...(atWork > 0 ? [words.time.atWork(atWork)] : []),
    ...(asking.length > 0 ? [words.time.waitsForYou(asking.length)] : []),
    ...(count("stopped") > 0 ? [words.time.stopped(count("stopped"))] : []),
  ];
  return <>{parts.length > 0 ? parts.join(" · ") : words.time.quiet}</>;
}
