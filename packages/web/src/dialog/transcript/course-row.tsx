import { useProject } from "@colloquy/react";
import { Link } from "../../parts/link.tsx";
import { useWords } from "../../state/appearance.ts";
import type { RowProps } from "./row-view.tsx";
import type { CourseRow } from "./rows.ts";

/** The divider before a new course. */
export function CourseDivider({ row, projectId, dialog }: RowProps<CourseRow>) {
  const words = useWords();
  const { agentName } = useProject(projectId);
  return (
    <div className="flex items-center gap-3 py-4 text-[13px] text-muted" role="group" aria-label={words.dialog.course(row.course)}>
      <span className="h-px flex-1 bg-line" />
      {words.dialog.course(row.course)} ·{" "}
      {row.isFull ? words.dialog.courseFull : words.dialog.courseBy(row.by ?? agentName(dialog.view.agentId))}
      {row.course > 1 && (
        <Link
          to={{ page: "dialog", projectId, dialogId: dialog.view.selfId, course: row.course - 1 }}
          className="underline underline-offset-2 hover:text-ink"
        >
          ↑ {words.dialog.course(row.course - 1)}
        </Link>
      )}
      <span className="h-px flex-1 bg-line" />
    </div>
  );
}
