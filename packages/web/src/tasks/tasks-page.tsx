import { type ProjectRow, useConnection, useDialogs, useProject, useProjects, useQuestions, useTasks } from "@colloquy/react";
import type { TaskKind, TaskView } from "@colloquy/schema";
import { type ReactNode, useDeferredValue, useId, useMemo, useRef, useState } from "react";
import { Link } from "../parts/link.tsx";
import { useWords } from "../state/appearance.ts";
import { go } from "../state/router.ts";
import { onBoardKey, useBoardEntry } from "./board-keys.ts";
import { TaskCard } from "./task-card.tsx";
import { columnsOf, fitting, openDependencies } from "./task-columns.ts";
import { TaskForm } from "./task-form.tsx";
import { TaskGlyph } from "./task-glyph.tsx";
import { ProjectSelect } from "../parts/project-select.tsx";

const KINDS = ["all", "feedback", "prd", "plan", "task"] as const;

/** The board: every task of a project, where it stands. Nothing is dragged: where a task stands follows from what happens to it. */
export function TasksPage({
  projectId,
  isNew,
  isPhone,
}: {
  readonly projectId: string | undefined;
  readonly isNew: boolean;
  readonly isPhone: boolean;
}) {
  const words = useWords();
  const projects = useProjects();
  const chosen = projects?.find(({ id }) => id === projectId) ?? (projectId === undefined ? projects?.[0] : undefined);
  if (projects && !chosen) return <p className="m-auto text-muted">{words.notFound}</p>;
  return chosen ? <Board project={chosen} projects={projects ?? []} isNew={isNew} isPhone={isPhone} /> : null;
}

function Board({
  project,
  projects,
  isNew,
  isPhone,
}: {
  readonly project: ProjectRow;
  readonly projects: readonly ProjectRow[];
  readonly isNew: boolean;
  readonly isPhone: boolean;
}) {
  const words = useWords();
  const { role } = useConnection();
  const { tasks, hasMore, more } = useTasks(project.id);
  const [kind, setKind] = useState<TaskKind | "all">("all");
  const [text, setText] = useState("");
  const sought = useDeferredValue(text);
  const board = useRef<HTMLDivElement>(null);
  useBoardEntry(board);
  const shown = useMemo(() => fitting(tasks ?? [], kind, sought), [tasks, kind, sought]);
  const columns = useMemo(() => columnsOf(tasks ?? [], shown), [tasks, shown]);
  const list = (name: string, some: readonly TaskView[], column: number) => (
    <Cards projectId={project.id} name={name} tasks={some} all={tasks ?? []} column={column} />
  );
  const order = isPhone ? (["blocked", "in_progress", "open", "closed"] as const) : (["open", "in_progress", "blocked", "closed"] as const);
  const bodies: Readonly<Record<(typeof order)[number], (column: number) => ReactNode>> = {
    open: (column) => (
      <>
        {columns.ready.length > 0 && <Part name={words.tasks.ready}>{list(words.tasks.ready, columns.ready, column)}</Part>}
        {columns.notReady.length > 0 && <Part name={words.tasks.notReady}>{list(words.tasks.notReady, columns.notReady, column)}</Part>}
      </>
    ),
    in_progress: (column) => list(words.tasks.columns.in_progress, columns.in_progress, column),
    blocked: (column) => list(words.tasks.columns.blocked, columns.blocked, column),
    closed: (column) => (
      <>
        {list(words.tasks.columns.closed, columns.closed, column)}
        {hasMore && (
          <button type="button" className="button mt-2 w-full" onClick={more}>
            {words.loadMore}
          </button>
        )}
      </>
    ),
  };
  const counts = { ...columns, open: [...columns.ready, ...columns.notReady] };
  return (
    <div className="flex min-w-0 flex-1 flex-col max-sm:overflow-y-auto">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 pt-5 sm:px-6">
        <h1 className="text-xl font-semibold tracking-tight">{words.tasks.title}</h1>
        {projects.length > 1 ? (
          <ProjectSelect projects={projects} projectId={project.id} page="tasks" />
        ) : (
          <span className="text-muted">{project.name}</span>
        )}
        {role !== "viewer" && tasks?.length !== 0 && (
          <Link to={{ page: "tasks", projectId: project.id, isNew: true }} className="button button-primary ml-auto">
            + {words.tasks.add}
          </Link>
        )}
      </header>
      <div className={`flex flex-wrap items-center gap-2 px-4 py-3 sm:px-6 ${tasks?.length === 0 ? "hidden" : ""}`}>
        <input
          type="search"
          className="field flex-1 sm:max-w-xs max-sm:basis-full"
          aria-label={words.tasks.filter}
          placeholder={words.tasks.filter}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <div role="group" aria-label={words.tasks.kind} className="flex flex-wrap gap-1 text-[13px]">
          {KINDS.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={kind === one}
              onClick={() => setKind(one)}
              className={`rounded-md px-2.5 py-1.5 ${kind === one ? "bg-hover font-medium" : "text-muted hover:text-ink"}`}
            >
              {one === "all" ? words.tasks.allKinds : words.tasks.kinds[one]}
            </button>
          ))}
        </div>
      </div>
      {tasks?.length === 0 ? (
        <NoTasks project={project} />
      ) : (
        <div
          ref={board}
          onKeyDown={(event) => onBoardKey(event, board.current)}
          className="min-h-0 px-4 pb-4 max-sm:flex max-sm:shrink-0 max-sm:flex-col max-sm:gap-6 sm:grid sm:flex-1 sm:grid-cols-[repeat(4,minmax(230px,1fr))] sm:gap-3 sm:overflow-x-auto sm:px-6"
        >
          {order.map((status, column) => (
            <Column
              key={status}
              status={status}
              count={counts[status].length}
              hasMore={status === "closed" && hasMore}
              isLoading={tasks === undefined}
            >
              {bodies[status](column)}
            </Column>
          ))}
        </div>
      )}
      {tasks !== undefined && tasks.length > 0 && shown.length === 0 && (
        <p role="status" className="pb-6 text-center text-muted">
          {words.tasks.noHits}
        </p>
      )}
      {isNew && (
        <TaskForm
          projectId={project.id}
          tasks={tasks ?? []}
          onClose={() => go({ page: "tasks", projectId: project.id })}
          onDone={(task) => go({ page: "task", projectId: project.id, taskId: task.id }, "replace")}
        />
      )}
    </div>
  );
}

function Column({
  status,
  count,
  hasMore,
  isLoading,
  children,
}: {
  readonly status: keyof ReturnType<typeof useWords>["tasks"]["columns"];
  readonly count: number;
  /** There are others that are not loaded. */
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly children: ReactNode;
}) {
  const words = useWords();
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex min-h-0 flex-col rounded-2xl max-sm:shrink-0 sm:bg-sunken">
      <h2
        id={id}
        className={`flex items-center gap-1.5 text-[13px] font-semibold sm:px-3 sm:pt-3 ${status === "blocked" && count > 0 ? "text-await" : ""}`}
      >
        <TaskGlyph status={status} isHidden />
        {words.tasks.columns[status]}
        <span className="ml-auto font-normal tabular-nums text-muted">{isLoading ? "" : `${count}${hasMore ? "+" : ""}`}</span>
      </h2>
      <div className="min-h-0 flex-1 pt-2 sm:overflow-y-auto sm:px-2 sm:pb-2">
        {children}
        {count === 0 && !isLoading && <p className="px-1 py-2 text-[13px] text-muted">{words.tasks.emptyColumn[status]}</p>}
      </div>
    </section>
  );
}

const Part = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="mb-3">
    <h3 className="px-1 pb-1.5 text-xs text-muted">{name}</h3>
    {children}
  </div>
);

function Cards({
  projectId,
  name,
  tasks,
  all,
  column,
}: {
  readonly projectId: string;
  readonly name: string;
  readonly tasks: readonly TaskView[];
  readonly all: readonly TaskView[];
  readonly column: number;
}) {
  const { open = [] } = useQuestions();
  const { rows = [] } = useDialogs(projectId);
  if (tasks.length === 0) return null;
  return (
    <ul aria-label={name} className="flex flex-col gap-2">
      {tasks.map((task) => (
        <TaskCard
          key={task.id}
          projectId={projectId}
          task={task}
          column={column}
          questions={open.filter(({ id }) => task.questions.includes(id))}
          waitsFor={task.status === "open" ? openDependencies(task, all) : []}
          dialog={rows.find(({ rootId }) => task.dialogs.includes(rootId))}
        />
      ))}
    </ul>
  );
}

/** Nothing was handed over yet: says what a task is, and what is missing where nobody would take one. */
function NoTasks({ project }: { readonly project: ProjectRow }) {
  const words = useWords();
  const { role } = useConnection();
  const { settings } = useProject(project.id);
  const isTaken = settings?.agents.some(({ handles }) => handles.length > 0);
  return (
    <div className="mx-auto max-w-md px-6 py-[12vh] text-center">
      <h2 className="text-lg font-medium">{words.tasks.none}</h2>
      <p className="mt-1 text-muted">{words.tasks.noneText}</p>
      {settings && !isTaken && (
        <div className="mt-4 rounded-xl border border-line bg-panel p-4 text-left">
          <p>{words.tasks.nobody}</p>
          <pre className="mt-2 overflow-x-auto rounded-lg bg-sunken px-3 py-2 font-mono text-[13px]">handles: [feedback, task]</pre>
        </div>
      )}
      {role !== "viewer" && (
        <Link to={{ page: "tasks", projectId: project.id, isNew: true }} className="button button-primary mt-5">
          {words.tasks.add}
        </Link>
      )}
    </div>
  );
}
