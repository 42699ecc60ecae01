import type { Actions } from "@colloquy/client";
import { useCallback, useMemo } from "react";
import { useClient } from "./provider.ts";
import { useProjectId } from "./use-project.ts";

/** The commands for a project. Without a project: for the only one served. */
export function useActions(named?: string): Actions {
  const client = useClient();
  const projectId = useProjectId(named);
  return useMemo(() => client.actionsIn(projectId === "" ? undefined : projectId), [client, projectId]);
}

/** The same for pages that show several projects. */
export function useActionsIn(): (projectId: string) => Actions {
  const client = useClient();
  return useCallback((projectId) => client.actionsIn(projectId), [client]);
}
