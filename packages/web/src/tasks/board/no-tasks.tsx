import { type ProjectRow, useConnection, useProject } from "@colloquy/react";
import { Link } from "../../parts/link.tsx";
import { useWords } from "../../state/appearance.ts";

/** Empty board: explains tasks, and says if no agent would take one. */
export function NoTasks({ project }: { readonly project: ProjectRow }) {
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
