import type { LiveTool } from "@colloquy/react";
import { DiffView } from "../../parts/diff-view.tsx";
import { SentImages } from "../../parts/sent-images.tsx";
import { Shield } from "../../parts/state-glyph.tsx";
import { useWords } from "../../state/appearance.ts";
import { duration } from "../../state/duration.ts";
import { useNow } from "../../state/now.ts";
import { callSummary } from "./folded-calls.ts";
import type { CallRow } from "./rows.ts";
import { UndoCall } from "./undo-call.tsx";

/** A tool call in one line, which opens to its arguments and its result. */
export function CallView({
  row,
  projectId,
  dialogId,
  running,
  isOpen,
  onToggle,
}: {
  readonly row: CallRow;
  readonly projectId: string;
  readonly dialogId: string;
  readonly running: LiveTool | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) {
  const words = useWords();
  const isFailed = row.outcome === "error";
  return (
    <div className="py-0.5">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex max-w-full items-baseline gap-2 text-left text-[13px] text-muted hover:text-ink"
      >
        <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span>
        <span className="font-mono text-xs font-semibold">{row.tool}</span>
        <span className="min-w-0 truncate font-mono text-xs">{callSummary(row.input)}</span>
        {row.ms !== undefined && row.ms >= 100 && <span className="shrink-0 tabular-nums">{(row.ms / 1_000).toFixed(1)} s</span>}
        <span className={`shrink-0 ${isFailed ? "text-fail" : ""}`}>
          {row.outcome !== undefined ? (
            `${isFailed ? "✕ " : ""}${words.dialog.outcome[row.outcome]}`
          ) : row.undo?.kind === "undone" ? (
            words.dialog.undoneMark
          ) : row.output !== undefined ? (
            <span className="text-accent">✓</span>
          ) : row.held !== undefined ? (
            <span className="text-await">
              <Shield /> {words.dialog.waitsApproval}
            </span>
          ) : (
            running && <Running since={running.startedAt} />
          )}
        </span>
      </button>
      {isOpen && (
        <div className="mt-1 mb-2 flex flex-col gap-2 border-l-2 border-line pl-3">
          <Input row={row} />
          {row.effects.length > 0 && <Output label={words.dialog.effects} text={row.effects.join("\n")} />}
          <UndoCall row={row} projectId={projectId} />
          {row.output !== undefined && <Output label={words.dialog.result} text={row.output} />}
          <SentImages projectId={projectId} dialogId={dialogId} names={row.images} />
        </div>
      )}
    </div>
  );
}

function Running({ since }: { readonly since: number }) {
  const words = useWords();
  const now = useNow(1_000);
  return (
    <span className="text-accent">
      <span className="working">●</span> {words.dialog.running} {duration(now - since, words)}
    </span>
  );
}

function Input({ row }: { readonly row: CallRow }) {
  const words = useWords();
  const input = row.input as Record<string, string | undefined> | null;
  if (row.tool === "edit_file" && input) return <DiffView title={input.path ?? ""} before={input.old ?? ""} after={input.new ?? ""} />;
  if (row.tool === "write_file" && input) return <DiffView title={input.path ?? ""} before="" after={input.content ?? ""} />;
  return <Output label={words.dialog.arguments} text={JSON.stringify(row.input, undefined, 2)} />;
}

/** A tool's output is shown as plain text, never as markup. */
function Output({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <figure>
      <figcaption className="text-xs text-muted">{label}</figcaption>
      <pre
        tabIndex={0}
        className="mt-0.5 max-h-80 overflow-auto rounded-lg bg-sunken px-3 py-2 font-mono text-xs leading-5 whitespace-pre-wrap"
      >
        {text}
      </pre>
    </figure>
  );
}
