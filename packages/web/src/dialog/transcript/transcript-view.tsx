import { useWords } from "../../state/appearance.ts";
import { RowView } from "./row-view.tsx";
import { type TranscriptProps, useTranscript } from "./use-transcript.ts";

/** A dialog's transcript. Only visible rows are rendered; live text grows at the end without moving anything above it. */
export function TranscriptView(props: TranscriptProps) {
  const { projectId, dialog, onOpen } = props;
  const words = useWords();
  const { scroller, rows, virtual, size, onScroll, loadOlder, unseen, toEnd, propsOf } = useTranscript(props);
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        onScroll={onScroll}
        role="log"
        aria-label={words.dialog.transcript}
        aria-live="off"
        tabIndex={0}
        className="h-full overflow-y-auto [overflow-anchor:none]"
        data-answer-keys=""
      >
        {dialog.hasOlder && (
          <div className="flex justify-center pt-3">
            <button type="button" className="button button-plain text-[13px] text-muted" onClick={loadOlder}>
              {words.loadOlder}
            </button>
          </div>
        )}
        {rows.length === 0 && <p className="p-10 text-center text-muted">{words.empty.transcript}</p>}
        <div className="relative mx-auto w-full max-w-[868px]" style={{ height: size }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const row = rows[index];
            return (
              <div
                key={key}
                data-index={index}
                ref={virtual.measureElement}
                className="absolute top-0 left-0 w-full px-4 sm:px-6"
                style={{ transform: `translateY(${start}px)` }}
              >
                {row && <RowView {...propsOf(row, index)} projectId={projectId} dialog={dialog} onOpen={onOpen} />}
              </div>
            );
          })}
        </div>
        <div className="h-4" />
      </div>
      {unseen > 0 && (
        <button type="button" className="button absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-md" onClick={toEnd}>
          ↓ {words.dialog.newBelow(unseen)}
        </button>
      )}
    </div>
  );
}
