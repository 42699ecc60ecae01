import { useProject } from "@colloquy/react";
import { AgentBadge } from "../../parts/agent-badge.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { SentImages } from "../../parts/sent-images.tsx";
import { useLanguage, useWords } from "../../state/appearance.ts";
import { clock } from "../../state/duration.ts";
import { usePersonName } from "../../state/person-name.ts";
import type { RowProps } from "./row-view.tsx";
import type { AssignmentRow, PersonRow } from "./rows.ts";

/** What a person wrote. */
export function PersonMessage({ row, projectId, dialog }: RowProps<PersonRow>) {
  const words = useWords();
  const [language] = useLanguage();
  const { agentName } = useProject(projectId);
  const personName = usePersonName();
  return (
    <div className="flex justify-end pt-4 pb-1">
      <div className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-soft px-4 py-2.5">
        <p className="flex flex-wrap items-baseline gap-x-2 text-xs text-muted">
          <span className="font-medium">{personName(row.by)}</span>
          {row.to.some((one) => one !== dialog.view.agentId) && <span>→ {row.to.map((one) => agentName(one)).join(", ")}</span>}
          <span className="tabular-nums">{clock(row.at, language)}</span>
          {row.isUnread && <span className="italic">{words.dialog.waitsToBeRead}</span>}
        </p>
        <Markdown text={row.text} />
        <SentImages projectId={projectId} dialogId={dialog.view.selfId} names={row.images} />
        {row.ack !== undefined && <p className="mt-1 border-t border-line pt-1 text-[13px] text-muted">{row.ack}</p>}
      </div>
    </div>
  );
}

/** What another dialog asks of this one. */
export function Assignment({ row, projectId, onOpen }: RowProps<AssignmentRow>) {
  const words = useWords();
  const [language] = useLanguage();
  const { agentName } = useProject(projectId);
  return (
    <div className="pt-4 pb-1">
      <div className="rounded-xl border border-line bg-panel px-4 py-3">
        <p className="flex items-center gap-2 text-[13px] text-muted">
          <AgentBadge agentId={row.from} name={agentName(row.from)} size={20} />
          <button type="button" className="font-medium hover:underline" onClick={() => onOpen(row.fromDialog)}>
            {row.isBack ? words.dialog.asksBack(agentName(row.from)) : words.dialog.assignmentFrom(agentName(row.from))}
          </button>
          <span className="tabular-nums">{clock(row.at, language)}</span>
        </p>
        <div className="mt-1">
          <Markdown text={row.text} />
        </div>
      </div>
    </div>
  );
}
