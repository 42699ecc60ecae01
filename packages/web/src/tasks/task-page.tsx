import {
  type ProjectQuestion,
  projectPath,
  Refusal,
  useConnection,
  useDialog,
  useDoor,
  useProject,
  useQuestions,
  useTasks,
} from "@colloquy/react";
import type { QuestionView, TaskView } from "@colloquy/schema";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import type { Loaded } from "../dialog/dialog-column.tsx";
import { TaskTab } from "../dialog/panel-task.tsx";
import { answerWords } from "../inbox/answer/answer-words.ts";
import { QuestionCard } from "../inbox/question-card.tsx";
import { ANSWER_KEYS } from "../inbox/answer/use-arming.ts";
import { Link } from "../parts/link.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Problem } from "../parts/problem.tsx";
import { WhyDialog } from "../parts/why-dialog.tsx";
import { useLanguage, useWords } from "../state/appearance.ts";
import { moment } from "../state/duration.ts";
import { newMsgId } from "@colloquy/schema";
import { usePersonName } from "../state/person-name.ts";
import { useNow } from "../state/now.ts";
import { go } from "../state/router.ts";
import { TaskAside } from "./task-aside.tsx";
import { lastFailure, openDependencies } from "./task-columns.ts";
import { TaskForm } from "./task-form.tsx";
import { TaskGlyph } from "./task-glyph.tsx";
import { useNamedTasks, useTask } from "./use-task.ts";

/** Everything about one task; what it asks is answered here, with the card of the inbox. */
export function TaskPage({ projectId, taskId }: { readonly projectId: string; readonly taskId: string }) {
  const words = useWords();
  const task = useTask(projectId, taskId);
  if (task === "not found") return <h1 className="m-auto text-muted">{words.tasks.notFound}</h1>;
  return task ? <Whole projectId={projectId} task={task} /> : <p className="sr-only">{words.loading}</p>;
}

function Whole({ projectId, task }: { readonly projectId: string; readonly task: TaskView }) {
  const words = useWords();
  const { open = [] } = useQuestions();
  const asked = open.filter(({ id }) => task.questions.includes(id));
  const decided = useDecided(projectId, task);
  const failure = task.failures > 0 && task.status !== "closed" ? lastFailure(task) : undefined;
  const [rootId] = task.dialogs;
  return (
    <div className="min-w-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-[1160px] px-4 py-5 sm:px-8">
        <Header projectId={projectId} task={task} />
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
              <Part title={words.tasks.failed(task.failures)} look="text-fail" glyph="✕">
                <p className="text-[13px] text-muted">{words.tasks.lastFailure}</p>
                <Markdown text={failure === "" ? "–" : failure} />
                {task.status !== "blocked" && <p className="mt-1 text-[13px] text-muted">{words.tasks.triedAgain}</p>}
              </Part>
            )}
            {task.status === "closed" && (task.summary ?? "") !== "" && (
              <Part title={words.tasks.result} glyph="✓">
                <Markdown text={task.summary ?? ""} />
              </Part>
            )}
            {rootId === undefined ? (
              <>
                {task.description !== "" && (
                  <Part title={words.tasks.about}>
                    <Markdown text={task.description} />
                  </Part>
                )}
                {task.status !== "closed" && <p className="text-[13px] text-muted">{words.tasks.notTaken}</p>}
              </>
            ) : (
              <Taskdoc projectId={projectId} rootId={rootId} />
            )}
            {decided.length > 0 && <Decided projectId={projectId} questions={decided} />}
          </div>
          <TaskAside projectId={projectId} task={task} />
        </div>
      </div>
    </div>
  );
}

function Header({ projectId, task }: { readonly projectId: string; readonly task: TaskView }) {
  const words = useWords();
  const door = useDoor();
  const { role } = useConnection();
  const { agentName } = useProject(projectId);
  const { tasks = [] } = useTasks(projectId);
  const [from] = useNamedTasks(projectId, task.from === undefined ? [] : [task.from]);
  const [shown, show] = useState<"none" | "edit" | "close" | "like">("none");
  const [problem, setProblem] = useState<string>();
  const isOver = task.status === "closed";
  const isReady = openDependencies(task, tasks).length === 0;
  const close = async (why: string) => {
    show("none");
    setProblem(undefined);
    try {
      await door.change("PATCH", `${projectPath(projectId)}/tasks/${task.id}`, { close: why, msgId: newMsgId() });
    } catch (error) {
      setProblem(words.refused(error instanceof Refusal ? error.message : String(error)));
    }
  };
  const [rootId] = task.dialogs;
  return (
    <header>
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
      <div className="mt-1 flex flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1 basis-72">
          <h1 className="text-2xl font-semibold leading-tight tracking-tight">{task.title}</h1>
          <p className={`mt-1.5 flex items-center gap-1.5 ${task.status === "blocked" ? "font-medium text-await" : "text-muted"}`}>
            <TaskGlyph status={task.status} isHidden />
            <span role="status">
              {words.tasks.columns[task.status]}
              {task.status === "open" && ` · ${isReady ? words.tasks.ready : words.tasks.notReady}`}
              {task.assignee !== null && ` · ${agentName(task.assignee)}`}
            </span>
            <span className="font-normal text-muted">· {words.tasks.kinds[task.kind]}</span>
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {rootId !== undefined && (
            <Link to={{ page: "dialog", projectId, dialogId: rootId }} className="button">
              {words.tasks.openDialog}
            </Link>
          )}
          {role !== "viewer" && !isOver && (
            <>
              <button type="button" className="button" onClick={() => show("edit")}>
                {words.edit}
              </button>
              <button type="button" className="button" onClick={() => show("close")}>
                {words.tasks.close} …
              </button>
            </>
          )}
          {role !== "viewer" && isOver && (
            <button type="button" className="button" onClick={() => show("like")}>
              {words.tasks.addLike}
            </button>
          )}
        </div>
      </div>
      <Problem text={problem} className="mt-2" />
      {shown === "edit" && (
        <TaskForm projectId={projectId} tasks={tasks} task={task} onClose={() => show("none")} onDone={() => show("none")} />
      )}
      {shown === "like" && (
        <TaskForm
          projectId={projectId}
          tasks={tasks}
          beginning={task}
          onClose={() => show("none")}
          onDone={({ id }) => {
            show("none");
            go({ page: "task", projectId, taskId: id });
          }}
        />
      )}
      {shown === "close" && (
        <WhyDialog
          title={words.tasks.closeTitle}
          text={words.tasks.closeText}
          label={words.tasks.closeWhy}
          action={words.tasks.close}
          onClose={() => show("none")}
          onGo={close}
        />
      )}
    </header>
  );
}

const Part = ({
  title,
  glyph,
  look = "",
  children,
}: {
  readonly title: string;
  readonly glyph?: string;
  readonly look?: string;
  readonly children: ReactNode;
}) => (
  <section className="max-w-[760px]">
    <h2 className={`mb-1.5 flex gap-1.5 text-[13px] font-semibold ${look}`}>
      {glyph !== undefined && <span aria-hidden="true">{glyph}</span>}
      <span className="inline-block first-letter:uppercase">{title}</span>
    </h2>
    {children}
  </section>
);

function Taskdoc({ projectId, rootId }: { readonly projectId: string; readonly rootId: string }) {
  const words = useWords();
  const dialog = useDialog(rootId, projectId);
  // Its place is kept, so that nothing moves when it comes.
  return (
    <section
      aria-label={words.tasks.taskdoc}
      className="min-h-72 max-w-[760px] rounded-2xl border border-line bg-panel p-4 sm:p-6 [&>section:last-child]:mb-0"
    >
      {dialog.view && <TaskTab projectId={projectId} dialog={dialog as Loaded} />}
    </section>
  );
}

/** Its questions that are over, the last one first; read again whenever something happened to the task. */
function useDecided(projectId: string, task: TaskView): readonly ProjectQuestion[] {
  const door = useDoor();
  const [rootId] = task.dialogs;
  const [found, setFound] = useState<readonly QuestionView[]>([]);
  useEffect(() => {
    if (rootId === undefined) return setFound([]);
    let isGone = false;
    door
      .read<{ questions: QuestionView[] }>(`${projectPath(projectId)}/questions?dialog=${rootId}&limit=100`)
      .then(({ questions }) => isGone || setFound(questions))
      .catch(() => undefined); // the connection bar says so
    return () => {
      isGone = true;
    };
  }, [door, projectId, rootId, task]);
  return useMemo(() => found.filter(({ status }) => status !== "open").map((one) => ({ ...one, projectId })), [found, projectId]);
}

function Decided({ projectId, questions }: { readonly projectId: string; readonly questions: readonly ProjectQuestion[] }) {
  const words = useWords();
  const [language] = useLanguage();
  const now = useNow(60_000);
  const { agentName } = useProject(projectId);
  const personName = usePersonName();
  const outcome = ({ status, answer, agentId }: ProjectQuestion): string => {
    if (status === "answered" && answer) return words.closedBy.answered(personName(answer.by), answerWords(answer, words));
    if (status === "dismissed") return words.closedBy.dismissed(answer?.by ?? "");
    return status === "withdrawn" ? words.closedBy.withdrawn(agentName(agentId)) : words.closedBy.expired;
  };
  return (
    <Part title={words.tasks.decided}>
      <ul aria-label={words.tasks.decided} className="overflow-hidden rounded-xl border border-line bg-panel">
        {questions.map((question) => (
          <li key={question.id} className="border-b border-line last:border-0">
            <Link
              to={{ page: "inbox", projectId, questionId: question.id }}
              className="flex items-baseline gap-2 px-4 py-2.5 hover:bg-hover"
            >
              <span aria-hidden="true" className="w-4 shrink-0 text-center text-muted">
                {question.status === "answered" ? "✓" : "–"}
              </span>
              <span className="min-w-0 flex-1">
                <span className="block">{question.headline}</span>
                <span className="block text-[13px] text-muted">{outcome(question)}</span>
              </span>
              <span className="shrink-0 text-xs text-muted">
                {question.answer && moment(Date.parse(question.answer.at), now, language)}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Part>
  );
}
