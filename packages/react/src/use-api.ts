import type { Api } from "@colloquy/client";
import { useCallback } from "react";
import { useClient } from "./provider.ts";
import { useProjectId } from "./use-project.ts";

/** Single requests to the server, for data that no hook keeps up to date. Without a project: for the only one served. */
export function useApi(named?: string): Api {
  const projectId = useProjectId(named);
  return useClient().apiOf(projectId === "" ? undefined : projectId);
}

/** The same for pages that show several projects. */
export function useApis(): (projectId?: string) => Api {
  const client = useClient();
  return useCallback((projectId) => client.apiOf(projectId), [client]);
}
