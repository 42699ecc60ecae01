import { type Dialogs, NO_DIALOGS } from "@colloquy/client";
import { useClient, useObservable } from "./provider.ts";
import { NOTHING, useProjectId } from "./use-project.ts";

/** The main dialogs of a project, newest first, kept up to date. Without a project: of the only one served. */
export function useDialogs(named?: string): Dialogs {
  const { stores } = useClient();
  const projectId = useProjectId(named);
  return useObservable<Dialogs | undefined>(projectId === "" ? NOTHING : stores.project(projectId).dialogs) ?? NO_DIALOGS;
}
