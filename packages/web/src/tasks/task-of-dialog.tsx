import { useTasks } from "@colloquy/react";
import { PanelSection } from "../dialog/panel/panel-section.tsx";
import { Link } from "../parts/link.tsx";
import { useWords } from "../state/appearance.ts";
import { TaskGlyph } from "./task-glyph.tsx";

/** Link from a dialog to its task. */
export function TaskOfDialog({ projectId, rootId }: { readonly projectId: string; readonly rootId: string }) {
  const words = useWords();
  const task = useTasks(projectId).tasks?.find(({ dialogs }) => dialogs.some((dialog) => dialog === rootId));
  if (!task) return null;
  return (
    <PanelSection title={words.tasks.ofDialog}>
      <Link to={{ page: "task", projectId, taskId: task.id }} className="flex items-baseline gap-1.5 hover:underline">
        <TaskGlyph status={task.status} />
        <span className="min-w-0 flex-1 font-medium">{task.title}</span>
      </Link>
    </PanelSection>
  );
}
