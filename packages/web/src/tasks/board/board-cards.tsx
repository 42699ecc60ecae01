import { useDialogs, useQuestions } from "@colloquy/react";
import type { TaskView } from "@colloquy/schema";
import { TaskCard } from "../task-card.tsx";
import { openDependencies } from "../task-columns.ts";

/** The cards of a column, or of a part of it. */
export function BoardCards({
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
