import { type DialogState, NO_DIALOG } from "@colloquy/client";
import { useClient, useObservable } from "./provider.ts";
import { NOTHING, useProjectId } from "./use-project.ts";

/** A dialog, main or side: its state, its history, and its live text. Without a project: of the only one served. */
export function useDialog(dialogId: string, named?: string): DialogState {
  const { stores } = useClient();
  const projectId = useProjectId(named);
  return useObservable<DialogState | undefined>(projectId === "" ? NOTHING : stores.dialog(projectId, dialogId)) ?? NO_DIALOG;
}
