import { type ProjectQuestion, useProject } from "@colloquy/react";
import { memo } from "react";
import { useLanguage, useWords } from "../../state/appearance.ts";
import { day } from "../../state/duration.ts";
import { pathOf } from "../../state/router.ts";
import type { Loaded } from "../dialog-column.tsx";
import { AskCard } from "./ask-card.tsx";
import { Call, CallGroup, runningTool } from "./call-row.tsx";
import { CourseDivider } from "./course-row.tsx";
import { ForkHere } from "./fork-here.tsx";
import { lineText } from "./line-text.ts";
import { Assignment, PersonMessage } from "./message-row.tsx";
import { QuestionEntry } from "./question-row.tsx";
import { Saying, Thinking } from "./saying-row.tsx";
import type { LineRow, Row } from "./rows.ts";

export interface RowProps<One extends Row = Row> {
  readonly row: One;
  readonly before: Row | undefined;
  readonly projectId: string;
  readonly dialog: Loaded;
  readonly question: ProjectQuestion | undefined;
  readonly isActiveQuestion: boolean;
  readonly isOpen: boolean;
  readonly isMarked: boolean;
  readonly onToggle: (key: string) => void;
  readonly onOpen: (dialogId: string) => void;
}

export const RowView = memo(
  function RowView(props: RowProps) {
    const { row, before, projectId, dialog, isMarked } = props;
    const isNewDay = before === undefined || new Date(before.at).toDateString() !== new Date(row.at).toDateString();
    const [language] = useLanguage();
    return (
      <div id={row.key} className={`group relative rounded-lg ${isMarked ? "bg-accent-soft" : ""}`}>
        {isNewDay && <p className="pt-4 text-center text-xs text-muted">{day(row.at, language)}</p>}
        <Body {...props} />
        {row.seq < Number.MAX_SAFE_INTEGER && (
          <>
            <RowLink projectId={projectId} dialogId={dialog.view.selfId} seq={row.seq} />
            <ForkHere projectId={projectId} dialogId={dialog.view.selfId} seq={row.seq} />
          </>
        )}
      </div>
    );
  },
  // Only the parts of the dialog that rows use: the tree for asks, running tools for calls.
  (a, b) =>
    a.row === b.row &&
    a.before === b.before &&
    a.question === b.question &&
    a.isActiveQuestion === b.isActiveQuestion &&
    a.isOpen === b.isOpen &&
    a.isMarked === b.isMarked &&
    a.onToggle === b.onToggle &&
    (a.row.kind !== "ask" || a.dialog.tree === b.dialog.tree) &&
    (a.row.kind !== "call" || runningTool(a.dialog, a.row) === runningTool(b.dialog, b.row)),
);

/** One row of the transcript, by its kind. */
function Body(props: RowProps) {
  const { row } = props;
  switch (row.kind) {
    case "person":
      return <PersonMessage {...props} row={row} />;
    case "assignment":
      return <Assignment {...props} row={row} />;
    case "saying":
      return <Saying {...props} row={row} />;
    case "thinking":
      return <Thinking {...props} row={row} />;
    case "course":
      return <CourseDivider {...props} row={row} />;
    case "line":
      return <Line {...props} row={row} />;
    case "calls":
    case "call":
    case "ask":
    case "question":
      return (
        <div className="pl-9">
          <IndentedBody {...props} />
        </div>
      );
  }
}

function IndentedBody(props: RowProps) {
  const { row, dialog, projectId, isOpen, onToggle, onOpen } = props;
  const { agentName } = useProject(projectId);
  if (row.kind === "calls") return <CallGroup {...props} row={row} />;
  if (row.kind === "call") return <Call {...props} row={row} />;
  if (row.kind === "question") return <QuestionEntry {...props} row={row} />;
  if (row.kind !== "ask") return null;
  return <AskCard row={row} dialog={dialog} agentName={agentName} isOpen={isOpen} onToggle={() => onToggle(row.key)} onOpen={onOpen} />;
}

function Line({ row, projectId }: RowProps<LineRow>) {
  const words = useWords();
  const { agentName } = useProject(projectId);
  const text = lineText(row.event, words, agentName);
  return text === undefined ? null : <p className="py-1 pl-9 text-[13px] text-muted">{text}</p>;
}

function RowLink({ projectId, dialogId, seq }: { readonly projectId: string; readonly dialogId: string; readonly seq: number }) {
  const words = useWords();
  const path = pathOf({ page: "dialog", projectId, dialogId, seq });
  return (
    <a
      href={path}
      aria-label={words.copyLink}
      title={words.copyLink}
      className="absolute top-3 -left-4 px-1 text-muted opacity-0 group-hover:opacity-100 focus:opacity-100"
      onClick={(event) => {
        event.preventDefault();
        void navigator.clipboard?.writeText(new URL(path, location.href).href);
      }}
    >
      #
    </a>
  );
}
