import { useWords } from "../state/appearance.ts";
import type { TimelineView } from "./use-timeline.ts";

/** Critical path, true scale, zoom, and the table instead of the picture. */
export function TimelineButtons({ view }: { readonly view: TimelineView }) {
  const words = useWords();
  const { isTable, isCritical, isFolded } = view;
  return (
    <>
      {!isTable && (
        <>
          <button type="button" className="button" aria-pressed={isCritical} onClick={view.toggleCritical}>
            {isCritical ? "✓ " : ""}
            {words.time.critical} <kbd>c</kbd>
          </button>
          <button type="button" className="button" aria-pressed={!isFolded} onClick={view.toggleFolded}>
            {isFolded ? words.time.trueTime : words.time.foldTime} <kbd>t</kbd>
          </button>
          <button type="button" className="button px-2.5" aria-label={words.time.zoomOut} onClick={view.zoomOut}>
            −
          </button>
          <button type="button" className="button px-2.5" aria-label={words.time.zoomIn} onClick={view.zoomIn}>
            +
          </button>
        </>
      )}
      <button type="button" className="button" aria-pressed={isTable} onClick={view.toggleTable}>
        {isTable ? words.time.picture : words.time.table}
      </button>
    </>
  );
}
