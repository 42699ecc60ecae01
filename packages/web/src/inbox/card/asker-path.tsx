import type { ProjectQuestion } from "@colloquy/react";
import { Link } from "../../parts/link.tsx";

/** Links for the path from the main dialog down to the asking one. */
export function AskerPath({
  question,
  names,
}: {
  readonly question: ProjectQuestion;
  readonly names: readonly { readonly name: string; readonly selfId: string }[];
}) {
  return (
    <nav aria-label={question.headline} className="flex flex-wrap items-center gap-x-1.5 text-[13px] text-muted">
      <Link to={{ page: "dialogs", projectId: question.projectId }} className="hover:text-ink hover:underline">
        {question.projectId}
      </Link>
      <span aria-hidden="true">›</span>
      <Link
        to={{ page: "dialog", projectId: question.projectId, dialogId: question.dialog.rootId }}
        className="written max-w-80 truncate hover:text-ink hover:underline"
      >
        {question.title}
      </Link>
      {names.map(({ name, selfId }, nth) => (
        <span key={selfId} className="flex items-center gap-1.5">
          <span aria-hidden="true">{nth === 0 ? "›" : "→"}</span>
          <Link to={{ page: "dialog", projectId: question.projectId, dialogId: selfId }} className="hover:text-ink hover:underline">
            {name}
          </Link>
        </span>
      ))}
    </nav>
  );
}
