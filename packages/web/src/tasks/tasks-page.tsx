import { useProjects } from "@colloquy/react";
import { NotFound } from "../parts/not-found.tsx";
import { Board } from "./board/board.tsx";

/** The board of a project's tasks. Cards are not dragged: a task's column follows from its state. */
export function TasksPage({
  projectId,
  isNew,
  isPhone,
}: {
  readonly projectId: string | undefined;
  readonly isNew: boolean;
  readonly isPhone: boolean;
}) {
  const projects = useProjects();
  const chosen = projects?.find(({ id }) => id === projectId) ?? (projectId === undefined ? projects?.[0] : undefined);
  if (projects && !chosen) return <NotFound />;
  return chosen ? <Board project={chosen} projects={projects ?? []} isNew={isNew} isPhone={isPhone} /> : null;
}
