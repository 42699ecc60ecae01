import { useProject } from "@colloquy/react";
import { Markdown } from "../../parts/markdown.tsx";
import { useWords } from "../../state/appearance.ts";
import { duration } from "../../state/duration.ts";
import { AgentRow } from "./agent-row.tsx";
import type { RowProps } from "./row-view.tsx";
import type { SayingRow } from "./rows.ts";

/** What an agent says. */
export function Saying({ row, before, projectId }: RowProps<SayingRow>) {
  const words = useWords();
  const { agentName } = useProject(projectId);
  return (
    <AgentRow row={row} before={before} name={agentName(row.agent)}>
      <div className={row.isLive ? "caret" : ""}>
        <Markdown text={row.text} isLive={row.isLive} />
      </div>
      {row.isCut && <p className="mt-1 text-[13px] text-muted italic">{words.dialog.cut}</p>}
    </AgentRow>
  );
}

/** What an agent thinks, folded at first. */
export function Thinking({ row, before, projectId, isOpen, onToggle }: RowProps<SayingRow>) {
  const words = useWords();
  const { agentName } = useProject(projectId);
  return (
    <AgentRow row={row} before={before} name={agentName(row.agent)}>
      <button
        type="button"
        aria-expanded={isOpen}
        className={`text-[13px] text-muted hover:text-ink ${row.isLive ? "working" : ""}`}
        onClick={() => onToggle(row.key)}
      >
        {isOpen ? "▾" : "▸"} {row.isLive ? words.dialog.thinking : words.dialog.thought}
        {row.ms !== undefined && row.ms >= 1_000 && ` · ${duration(row.ms, words)}`}
      </button>
      {isOpen && (
        <div className="mt-1 border-l-2 border-line pl-3 text-muted">
          <Markdown text={row.text} isLive={row.isLive} />
        </div>
      )}
    </AgentRow>
  );
}
