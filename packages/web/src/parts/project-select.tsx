import type { ProjectRow } from "@colloquy/react";
import { useWords } from "../state/appearance.ts";
import { go, type Route } from "../state/router.ts";

/** Switches the page to another project. Has its own label, unless there is one around it. */
export function ProjectSelect({
  projects,
  projectId,
  page,
  className = "field w-auto!",
}: {
  readonly projects: readonly ProjectRow[];
  readonly projectId: string | undefined;
  readonly page: Extract<Route["page"], "tasks" | "dialogs" | "settings" | "new" | "effects">;
  readonly className?: string;
}) {
  const words = useWords();
  return (
    <select
      className={className}
      aria-label={words.project}
      value={projectId}
      onChange={(event) => go({ page, projectId: event.target.value })}
    >
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
