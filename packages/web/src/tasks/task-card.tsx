import { type ProjectQuestion, useProject } from "@colloquy/react";
import type { DialogRow, TaskView } from "@colloquy/schema";
import type { ReactNode } from "react";
import { AgentBadge } from "../parts/agent-badge.tsx";
import { Link } from "../parts/link.tsx";
import { useWords } from "../state/appearance.ts";
import { duration } from "../state/duration.ts";
import { useNow } from "../state/now.ts";
import { since } from "./task-columns.ts";

export interface TaskCardProps {
  readonly projectId: string;
  readonly task: TaskView;
  /** Its open questions. */
  readonly questions: readonly ProjectQuestion[];
  /** Its open dependencies. */
  readonly waitsFor: readonly TaskView[];
  /** Its main dialog, if known. */
  readonly dialog: DialogRow | undefined;
  readonly column: number;
}

/** A task on the board. The whole card is a link. */
export function TaskCard({ projectId, task, questions, waitsFor, dialog, column }: TaskCardProps) {
  const words = useWords();
  const now = useNow(1_000);
  const isAsked = task.status === "blocked";
  return (
    <li>
      <Link
        to={{ page: "task", projectId, taskId: task.id }}
        data-column={column}
        className={`block rounded-xl border border-line bg-panel px-3 pt-2 pb-2.5 hover:border-edge ${isAsked ? "shadow-[inset_3px_0_0_var(--await-line)]" : ""}`}
      >
        <span className="flex items-baseline justify-between gap-2 text-xs text-muted">
          <span className="truncate">
            {words.tasks.kinds[task.kind]}
            {task.key !== undefined && task.kind === "prd" && ` · ${task.key}`}
          </span>
          <span className="shrink-0 tabular-nums">{duration(now - since(task), words)}</span>
        </span>
        <span className={`mt-0.5 line-clamp-3 font-medium leading-snug ${task.status === "closed" ? "text-muted" : ""}`}>{task.title}</span>
        <Below projectId={projectId} task={task} questions={questions} waitsFor={waitsFor} dialog={dialog} />
      </Link>
    </li>
  );
}

/** The most important fact for its column. */
function Below({ projectId, task, questions, waitsFor, dialog }: Omit<TaskCardProps, "column">) {
  const words = useWords();
  const { agentName, settings } = useProject(projectId);
  const lines: ReactNode[] = [];
  if (task.failures > 0 && task.status !== "closed")
    lines.push(
      <Line key="failed" glyph="✕" look="text-fail">
        {words.tasks.failed(task.failures)}
      </Line>,
    );
  if (task.status === "blocked") {
    const [first] = questions;
    lines.push(
      <Line key="asked" glyph="◆" look="text-await">
        {first?.headline ?? words.tasks.columns.blocked}
        {questions.length > 1 && <span className="block text-muted">{words.tasks.moreQuestions(questions.length - 1)}</span>}
      </Line>,
    );
  } else if (task.status === "open" && waitsFor.length > 0)
    lines.push(
      <Line key="after" glyph="◇">
        {words.tasks.after(waitsFor.map(({ title }) => title))}
      </Line>,
    );
  else if (task.status === "open" && settings && !settings.agents.some(({ handles }) => handles.includes(task.kind)))
    lines.push(
      <Line key="nobody" glyph="!">
        {words.tasks.nobodyTakes}
      </Line>,
    );
  else if (dialog?.state === "stopped" && task.status !== "closed")
    lines.push(
      <Line key="stopped" glyph="■">
        {words.tasks.stopped}
        {dialog.stopped !== undefined && `: ${dialog.stopped}`}
      </Line>,
    );
  else if (task.status === "closed" && (task.summary ?? "") !== "")
    lines.push(
      <span key="summary" className="mt-1 line-clamp-2 text-[13px] text-muted">
        {task.summary}
      </span>,
    );
  if (task.assignee !== null)
    lines.push(
      <span key="assignee" className="mt-2 flex items-center gap-1.5 text-[13px] text-muted">
        <AgentBadge agentId={task.assignee} name={agentName(task.assignee)} size={18} />
        {agentName(task.assignee)}
      </span>,
    );
  return lines;
}

const Line = ({
  glyph,
  look = "text-muted",
  children,
}: {
  readonly glyph: string;
  readonly look?: string;
  readonly children: ReactNode;
}) => (
  <span className={`mt-1 flex gap-1.5 text-[13px] leading-snug ${look}`}>
    <span aria-hidden="true" className="shrink-0">
      {glyph}
    </span>
    <span className="line-clamp-2 min-w-0">{children}</span>
  </span>
);
