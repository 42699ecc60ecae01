import type { answers } from "@colloquy/schema";
import { useMemo } from "react";
import type { z } from "zod";
import type { Door } from "./door.ts";
import { sharedOf, useDoor, useShared } from "./provider.ts";
import { Shared, soon } from "./shared.ts";

export type ProjectRow = z.infer<typeof answers.ProjectRow>;
export type Settings = z.infer<typeof answers.SettingsView>;

export const projectPath = (projectId: string): string => `/projects/${encodeURIComponent(projectId)}`;

/** Undefined until they are known. */
export function projectsOf(door: Door): Shared<readonly ProjectRow[] | undefined> {
  return sharedOf(door, "projects", () => {
    return new Shared<readonly ProjectRow[] | undefined>(undefined, (self) => {
      const watched = new Map<string, () => void>();
      const load = soon(async () => {
        const rows = await door.read<ProjectRow[]>("/projects").catch(() => undefined);
        if (!rows) return;
        self.set(rows);
        for (const { id } of rows)
          if (!watched.has(id))
            watched.set(
              id,
              door.watchProject(id, (packet) => (packet === "resync" || packet.type !== "presence") && load()),
            );
      }, 0);
      load();
      const stop = door.onConnection(() => door.connection().state === "live" && load());
      return () => {
        stop();
        for (const end of watched.values()) end();
      };
    });
  });
}

export const useProjects = (): readonly ProjectRow[] | undefined => useShared(projectsOf(useDoor()));

/** The one that is named, or the only one; empty while it is not known, or where there are several. */
export function useProjectId(named: string | undefined): string {
  const door = useDoor();
  const rows = useShared(named === undefined ? projectsOf(door) : NOBODY);
  if (named !== undefined) return named;
  return rows?.length === 1 ? (rows[0]?.id ?? "") : "";
}

/** For whoever has nothing to watch. */
const NOBODY = new Shared<readonly ProjectRow[] | undefined>(undefined, () => () => undefined);

export interface ProjectState {
  readonly row: ProjectRow | undefined;
  readonly settings: Settings | undefined;
  /** An agent's name as people read it. */
  readonly agentName: (agentId: string) => string;
}

function settingsOf(door: Door, projectId: string): Shared<Settings | undefined> {
  return sharedOf(door, `settings ${projectId}`, () => {
    return new Shared<Settings | undefined>(undefined, (self) => {
      if (projectId === "") return () => undefined;
      const load = soon(async () => {
        const settings = await door.read<Settings>(`${projectPath(projectId)}/settings`).catch(() => undefined);
        if (settings) self.set(settings);
      }, 0);
      load();
      return door.onConnection(() => door.connection().state === "live" && load());
    });
  });
}

/** A project with its team and settings. Without an id: the only one that is served. */
export function useProject(named?: string): ProjectState {
  const projectId = useProjectId(named);
  const row = useProjects()?.find(({ id }) => id === projectId);
  const settings = useShared(settingsOf(useDoor(), projectId));
  return useMemo(() => {
    const names = new Map(settings?.agents.map(({ id, name }) => [id, name]));
    return { row, settings, agentName: (agentId) => names.get(agentId) ?? agentId };
  }, [row, settings]);
}
