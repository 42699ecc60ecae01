import { AgentBadge } from "../../parts/agent-badge.tsx";
import { useWords } from "../../state/appearance.ts";
import type { Completion } from "./use-completions.ts";

export const optionId = (list: string, nth: number): string => `${list}-${nth}`;

/** Completions for the text at the caret. The field keeps the focus; arrows and Enter choose. */
export function CompletionList({
  id,
  completions,
  picked,
  onPick,
}: {
  readonly id: string;
  readonly completions: readonly Completion[];
  readonly picked: number;
  readonly onPick: (completion: Completion) => void;
}) {
  const words = useWords();
  return (
    <div
      id={id}
      role="listbox"
      aria-label={words.composer.offered}
      className="menu absolute bottom-full left-5 mb-1 w-[min(440px,calc(100vw-40px))]"
    >
      {completions.map((completion, nth) => (
        <div
          key={completion.key}
          id={optionId(id, nth)}
          role="option"
          aria-selected={nth === picked}
          className="menu-item"
          data-highlighted={nth === picked ? "" : undefined}
          // Before the field loses the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            onPick(completion);
          }}
        >
          {completion.kind === "agent" ? (
            <AgentBadge agentId={completion.value} name={completion.label} size={20} />
          ) : (
            <span aria-hidden="true" className="w-5 shrink-0 text-center text-muted">
              {completion.kind === "file" ? "≡" : "#"}
            </span>
          )}
          <span className={`max-w-full truncate ${completion.kind === "file" ? "font-mono text-xs" : "font-medium"}`}>
            {completion.label}
          </span>
          <span className="min-w-0 flex-1 truncate text-xs text-muted">{completion.about}</span>
        </div>
      ))}
    </div>
  );
}
