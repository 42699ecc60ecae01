import { useDialog } from "@colloquy/react";
import type { TaskView } from "@colloquy/schema";
import type { Loaded } from "../dialog/dialog-column.tsx";
import { TaskTab } from "../dialog/panel/panel-task.tsx";
import { ANSWER_KEYS } from "../inbox/answer/use-arming.ts";
import { QuestionCard } from "../inbox/card/question-card.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { useWords } from "../state/appearance.ts";
import { TaskAside } from "./task-aside.tsx";
import { TaskDecided } from "./task-decided.tsx";
import { TaskHeader } from "./task-header.tsx";
import { TaskPart } from "./task-part.tsx";
import { useTask } from "./use-task.ts";
import { useTaskPage } from "./use-task-page.ts";

/** One task. Its questions are answered here, with the inbox's card. */
export function TaskPage({ projectId, taskId }: { readonly projectId: string; readonly taskId: string }) {
  const words = useWords();
  const task = useTask(projectId, taskId);
  if (task === "not found") return <h1 className="m-auto text-muted">{words.tasks.notFound}</h1>;
  return task ? <Whole projectId={projectId} task={task} /> : <p className="sr-only">{words.loading}</p>;
}

function Whole({ projectId, task }: { readonly projectId: string; readonly task: TaskView }) {
  const words = useWords();
  const { asked, decided, failure, summary, rootId } = useTaskPage(projectId, task);
  return (
    <div className="min-w-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-[1160px] px-4 py-5 sm:px-8">
        <TaskHeader projectId={projectId} task={task} />
        <div className="mt-6 grid gap-x-10 gap-y-8 lg:grid-cols-[minmax(0,1fr)_300px]">
          <div className="flex min-w-0 flex-col gap-8">
            {asked.length > 0 && (
              <section aria-label={words.tasks.questions} {...ANSWER_KEYS} className="flex flex-col gap-8">
                {asked.map((question, nth) => (
                  <div key={question.id} className="border-l-2 border-await-line pl-4">
                    <QuestionCard question={question} isActive={nth === 0} isInDialog />
                  </div>
                ))}
              </section>
            )}
            {failure !== undefined && (
              <TaskPart title={words.tasks.failed(task.failures)} look="text-fail" glyph="✕">
                <p className="text-[13px] text-muted">{words.tasks.lastFailure}</p>
                <Markdown text={failure === "" ? "–" : failure} />
                {task.status !== "blocked" && <p className="mt-1 text-[13px] text-muted">{words.tasks.triedAgain}</p>}
              </TaskPart>
            )}
            {summary !== "" && (
              <TaskPart title={words.tasks.result} glyph="✓">
                <Markdown text={summary} />
              </TaskPart>
            )}
            {rootId === undefined ? (
              <>
                {task.description !== "" && (
                  <TaskPart title={words.tasks.about}>
                    <Markdown text={task.description} />
                  </TaskPart>
                )}
                {task.status !== "closed" && <p className="text-[13px] text-muted">{words.tasks.notTaken}</p>}
              </>
            ) : (
              <Taskdoc projectId={projectId} rootId={rootId} />
            )}
            {decided.length > 0 && <TaskDecided projectId={projectId} questions={decided} />}
          </div>
          <TaskAside projectId={projectId} task={task} />
        </div>
      </div>
    </div>
  );
}

function Taskdoc({ projectId, rootId }: { readonly projectId: string; readonly rootId: string }) {
  const words = useWords();
  const dialog = useDialog(rootId, projectId);
  // Reserve its space, so nothing moves when it loads.
  return (
    <section
      aria-label={words.tasks.taskdoc}
      className="min-h-72 max-w-[760px] rounded-2xl border border-line bg-panel p-4 sm:p-6 [&>section:last-child]:mb-0"
    >
      {dialog.view && <TaskTab projectId={projectId} dialog={dialog as Loaded} />}
    </section>
  );
}
