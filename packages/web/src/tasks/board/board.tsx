import { type ProjectRow, useConnection } from "@colloquy/react";
import { Link } from "../../parts/link.tsx";
import { ProjectSelect } from "../../parts/project-select.tsx";
import { useWords } from "../../state/appearance.ts";
import { go } from "../../state/router.ts";
import { BoardColumn } from "./board-column.tsx";
import { BoardFilter } from "./board-filter.tsx";
import { onBoardKey } from "./board-keys.ts";
import { NoTasks } from "./no-tasks.tsx";
import { TaskForm } from "../task-form.tsx";
import { type Status, useBoard } from "./use-board.ts";

const ORDER: readonly Status[] = ["open", "in_progress", "blocked", "closed"];
/** On phones what waits for a person comes first. */
const PHONE_ORDER: readonly Status[] = ["blocked", "in_progress", "open", "closed"];

interface Props {
  readonly project: ProjectRow;
  readonly projects: readonly ProjectRow[];
  readonly isNew: boolean;
  readonly isPhone: boolean;
}

/** Every task of a project, by state. */
export function Board({ project, projects, isNew, isPhone }: Props) {
  const words = useWords();
  const { role } = useConnection();
  const board = useBoard(project.id);
  const { place, isEmpty, tasks = [] } = board;
  return (
    <div className="flex min-w-0 flex-1 flex-col max-sm:overflow-y-auto">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 pt-5 sm:px-6">
        <h1 className="text-xl font-semibold tracking-tight">{words.tasks.title}</h1>
        {projects.length > 1 ? (
          <ProjectSelect projects={projects} projectId={project.id} page="tasks" />
        ) : (
          <span className="text-muted">{project.name}</span>
        )}
        {role !== "viewer" && !isEmpty && (
          <Link to={{ page: "tasks", projectId: project.id, isNew: true }} className="button button-primary ml-auto">
            + {words.tasks.add}
          </Link>
        )}
      </header>
      {isEmpty ? (
        <NoTasks project={project} />
      ) : (
        <>
          <BoardFilter board={board} />
          <div
            ref={place}
            onKeyDown={(event) => onBoardKey(event, place.current)}
            className="min-h-0 px-4 pb-4 max-sm:flex max-sm:shrink-0 max-sm:flex-col max-sm:gap-6 sm:grid sm:flex-1 sm:grid-cols-[repeat(4,minmax(230px,1fr))] sm:gap-3 sm:overflow-x-auto sm:px-6"
          >
            {(isPhone ? PHONE_ORDER : ORDER).map((status, column) => (
              <BoardColumn key={status} board={board} status={status} column={column} />
            ))}
          </div>
        </>
      )}
      {board.hasNoHits && (
        <p role="status" className="pb-6 text-center text-muted">
          {words.tasks.noHits}
        </p>
      )}
      {isNew && (
        <TaskForm
          projectId={project.id}
          tasks={tasks}
          onClose={() => go({ page: "tasks", projectId: project.id })}
          onDone={(task) => go({ page: "task", projectId: project.id, taskId: task.id }, "replace")}
        />
      )}
    </div>
  );
}
