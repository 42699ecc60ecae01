import type { TaskView } from "@colloquy/schema";
import { WhyDialog } from "../parts/why-dialog.tsx";
import { useWords } from "../state/appearance.ts";
import { go } from "../state/router.ts";
import { TaskForm } from "./task-form.tsx";
import type { TaskHeaderState } from "./use-task-page.ts";

interface Props {
  readonly projectId: string;
  readonly task: TaskView;
  readonly header: TaskHeaderState;
}

/** The form or question that one of the task's buttons opened. */
export function TaskDialogs({ projectId, task, header: { tasks, shown, hide, close } }: Props) {
  const words = useWords();
  return (
    <>
      {shown === "edit" && <TaskForm projectId={projectId} tasks={tasks} task={task} onClose={hide} onDone={hide} />}
      {shown === "like" && (
        <TaskForm
          projectId={projectId}
          tasks={tasks}
          beginning={task}
          onClose={hide}
          onDone={({ id }) => {
            hide();
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
          onClose={hide}
          onGo={close}
        />
      )}
    </>
  );
}
