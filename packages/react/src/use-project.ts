import type { Observable, ProjectRow, Settings } from "@colloquy/client";
import { useMemo } from "react";
import { useClient, useObservable } from "./provider.ts";

/** For hooks with nothing to watch. */
export const NOTHING: Observable<undefined> = { subscribe: () => () => undefined, getSnapshot: () => undefined };

/** Undefined until loaded. */
export const useProjects = (): readonly ProjectRow[] | undefined => useObservable(useClient().stores.projects);

/** The named project, or the only one; empty while unknown, or if there are several. */
export function useProjectId(named: string | undefined): string {
  const { stores } = useClient();
  const rows = useObservable(named === undefined ? stores.projects : NOTHING);
  if (named !== undefined) return named;
  return rows?.length === 1 ? (rows[0]?.id ?? "") : "";
}

export interface ProjectState {
  readonly row: ProjectRow | undefined;
  readonly settings: Settings | undefined;
  /** An agent's name as people read it. */
  readonly agentName: (agentId: string) => string;
}

/** A project with its team and settings. Without an id: the only one served. */
export function useProject(named?: string): ProjectState {
  const { stores } = useClient();
  const projectId = useProjectId(named);
  const row = useProjects()?.find(({ id }) => id === projectId);
  const settings = useObservable<Settings | undefined>(projectId === "" ? NOTHING : stores.project(projectId).settings);
  return useMemo(() => {
    const names = new Map(settings?.agents.map(({ id, name }) => [id, name]));
    return { row, settings, agentName: (agentId) => names.get(agentId) ?? agentId };
  }, [row, settings]);
}
