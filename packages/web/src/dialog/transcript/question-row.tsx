import { useProject } from "@colloquy/react";
import { QuestionCard } from "../../inbox/card/question-card.tsx";
import { KindGlyph } from "../../parts/state-glyph.tsx";
import { useWords } from "../../state/appearance.ts";
import type { Words } from "../../words.ts";
import type { RowProps } from "./row-view.tsx";
import type { QuestionRow } from "./rows.ts";
import { WhatIf } from "./what-if.tsx";

/** A question to people: its card while it is open, then how it ended. */
export function QuestionEntry({ row, projectId, dialog, question, isActiveQuestion }: RowProps<QuestionRow>) {
  const words = useWords();
  const { agentName } = useProject(projectId);
  if (question)
    return (
      <div className="my-2 rounded-xl border-2 border-await-line bg-page px-4 pt-3 sm:px-5">
        <QuestionCard question={question} isActive={isActiveQuestion} isInDialog />
      </div>
    );
  return (
    <div className="my-1 rounded-xl border border-line bg-panel px-4 py-2.5">
      <p className="flex items-baseline gap-2">
        <KindGlyph kind="question" />
        <span className="font-medium">{row.headline}</span>
      </p>
      {row.as !== "open" && <p className="mt-0.5 pl-6 text-[13px]">{outcomeOf(row, agentName, words)}</p>}
      <WhatIf row={row} projectId={projectId} dialogId={dialog.view.selfId} />
    </div>
  );
}

function outcomeOf({ as, by = "–", answer = "", agent }: QuestionRow, agentName: (id: string) => string, { closedBy }: Words): string {
  if (as === "answered") return closedBy.answered(by, answer);
  if (as === "dismissed") return closedBy.dismissed(by);
  return as === "withdrawn" ? closedBy.withdrawn(agentName(agent)) : closedBy.expired;
}
