import { useProject } from "@colloquy/react";
import type { TaskView } from "@colloquy/schema";
import { Link } from "../parts/link.tsx";
import { Problem } from "../parts/problem.tsx";
import { useWords } from "../state/appearance.ts";
import { TaskDialogs } from "./task-dialogs.tsx";
import { TaskGlyph } from "./task-glyph.tsx";
import { type TaskHeaderState, useTaskHeader } from "./use-task-page.ts";

interface Props {
  readonly projectId: string;
  readonly task: TaskView;
}

/** Title, state, and what can be done with the task. */
export function TaskHeader({ projectId, task }: Props) {
  const words = useWords();
  const { agentName } = useProject(projectId);
  const header = useTaskHeader(projectId, task);
  return (
    <header>
      <TaskPath projectId={projectId} task={task} from={header.from} />
      <div className="mt-1 flex flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1 basis-72">
          <h1 className="text-2xl font-semibold leading-tight tracking-tight">{task.title}</h1>
          <p className={`mt-1.5 flex items-center gap-1.5 ${task.status === "blocked" ? "font-medium text-await" : "text-muted"}`}>
            <TaskGlyph status={task.status} isHidden />
            <span role="status">
              {words.tasks.columns[task.status]}
              {task.status === "open" && ` · ${header.isReady ? words.tasks.ready : words.tasks.notReady}`}
              {task.assignee !== null && ` · ${agentName(task.assignee)}`}
            </span>
            <span className="font-normal text-muted">· {words.tasks.kinds[task.kind]}</span>
          </p>
        </div>
        <TaskButtons projectId={projectId} task={task} header={header} />
      </div>
      <Problem text={header.problem} className="mt-2" />
      <TaskDialogs projectId={projectId} task={task} header={header} />
    </header>
  );
}

/** The board, the task that it came from, and its id. */
function TaskPath({ projectId, task, from }: Props & { readonly from: TaskView | undefined }) {
  const words = useWords();
  return (
    <nav aria-label={words.tasks.title} className="flex flex-wrap items-center gap-x-1.5 text-[13px] text-muted">
      <Link to={{ page: "tasks", projectId }} className="hover:text-ink hover:underline">
        {words.tasks.title}
      </Link>
      {from && (
        <>
          <span aria-hidden="true">›</span>
          <Link to={{ page: "task", projectId, taskId: from.id }} className="hover:text-ink hover:underline">
            {from.title}
          </Link>
        </>
      )}
      <span aria-hidden="true">›</span>
      <span className="font-mono text-xs">{task.id.slice(-6)}</span>
    </nav>
  );
}

function TaskButtons({ projectId, task, header: { mayAct, isClosed, show } }: Props & { readonly header: TaskHeaderState }) {
  const words = useWords();
  const [rootId] = task.dialogs;
  return (
    <div className="flex flex-wrap gap-2">
      {rootId !== undefined && (
        <Link to={{ page: "dialog", projectId, dialogId: rootId }} className="button">
          {words.tasks.openDialog}
        </Link>
      )}
      {mayAct && !isClosed && (
        <>
          <button type="button" className="button" onClick={() => show("edit")}>
            {words.edit}
          </button>
          <button type="button" className="button" onClick={() => show("close")}>
            {words.tasks.close} …
          </button>
        </>
      )}
      {mayAct && isClosed && (
        <button type="button" className="button" onClick={() => show("like")}>
          {words.tasks.addLike}
        </button>
      )}
    </div>
  );
}
