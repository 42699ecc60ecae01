import { AgentBadge } from "../../parts/agent-badge.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { StateGlyph } from "../../parts/state-glyph.tsx";
import { useWords } from "../../state/appearance.ts";
import { duration } from "../../state/duration.ts";
import type { Loaded } from "../dialog-column.tsx";
import { nodeOf } from "../state-sentence.ts";
import type { AskRow } from "./rows.ts";

/** An ask as a card: recipient, request, state, and the answer once there is one. */
export function AskCard({
  row,
  dialog,
  agentName,
  isOpen,
  onToggle,
  onOpen,
}: {
  readonly row: AskRow;
  readonly dialog: Loaded;
  readonly agentName: (id: string) => string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onOpen: (dialogId: string) => void;
}) {
  const words = useWords();
  const node = nodeOf(dialog.tree, row.to);
  const name = agentName(row.recipient);
  const isLong = row.text.length > 280 || row.text.split("\n").length > 4;
  return (
    <div className="my-1.5 overflow-hidden rounded-xl border border-line bg-panel">
      <div className="flex items-center gap-x-2 px-4 pt-2.5">
        <AgentBadge agentId={row.recipient} name={name} size={20} />
        <span className="min-w-0 truncate font-medium">{row.isBack ? words.dialog.askedBackWhom(name) : words.dialog.askedWhom(name)}</span>
        {node?.session !== undefined && <span className="text-xs text-muted">{words.dialog.session(node.session)}</span>}
        {node?.branch !== undefined && <span className="min-w-0 truncate text-xs text-muted">{words.dialog.branch(node.branch)}</span>}
        <span className="ml-auto flex shrink-0 items-center gap-1 text-[13px] whitespace-nowrap text-muted">
          <AskState row={row} state={node?.state} />
        </span>
        {!row.isBack && (
          <button
            type="button"
            className="button button-plain -mr-2 min-h-7 px-2 text-[13px]"
            onClick={() => onOpen(row.to)}
            aria-label={`${words.dialog.openDialog}: ${name}`}
          >
            <span className="max-sm:sr-only">{words.dialog.openDialog}</span> →
          </button>
        )}
      </div>
      <div className={`px-4 pt-1 pb-2.5 text-muted ${isLong && !isOpen ? "line-clamp-4" : ""}`}>
        <Markdown text={row.text} />
      </div>
      {row.answer && row.answer.text !== "" && (
        <div className="border-t border-line px-4 py-2.5">
          <div className={isOpen ? "" : "line-clamp-4"}>
            <Markdown text={row.answer.text} />
          </div>
        </div>
      )}
      {(isLong || (row.answer?.text.length ?? 0) > 280) && (
        <button type="button" className="px-4 pb-2 text-[13px] text-muted hover:text-ink" aria-expanded={isOpen} onClick={onToggle}>
          {isOpen ? words.showLess : words.showMore}
        </button>
      )}
    </div>
  );
}

type DialogNode = NonNullable<Loaded["tree"]>;

/** How long the answer took, how the ask ended, or what its dialog is doing. */
function AskState({ row, state }: { readonly row: AskRow; readonly state: DialogNode["state"] | undefined }) {
  const words = useWords();
  if (!row.answer) {
    if (row.isBack || !state) return null;
    return (
      <>
        <StateGlyph state={state} /> {row.isQueued ? words.dialog.queued : words.state[state]}
      </>
    );
  }
  if (row.answer.outcome !== undefined) return words.dialog.askOutcome[row.answer.outcome as keyof typeof words.dialog.askOutcome];
  return (
    <>
      <span className="text-accent">✓</span> {duration(row.answer.at - row.at, words)}
    </>
  );
}
