import { useConnection, useProject } from "@colloquy/react";
import { tracePage } from "@colloquy/schema";
import { useEffect, useState } from "react";
import { isPlainKey, isTextField } from "../../inbox/answer/arming.ts";
import type { MenuItem } from "../../parts/menu.tsx";
import { useWords } from "../../state/appearance.ts";
import { go } from "../../state/router.ts";
import type { ColumnProps, Loaded } from "../dialog-column.tsx";
import { pathTo } from "../state-sentence.ts";
import { useFork } from "../transcript/use-fork.ts";
import { useExport } from "./use-export.ts";
import { useVerb } from "../use-verb.ts";

export type HeaderProps = ColumnProps & { readonly dialog: Loaded };

/** What can be done with a dialog. */
export function useDialogHeader({ projectId, dialogId, dialog, isMain = false }: HeaderProps) {
  const words = useWords();
  const { role } = useConnection();
  const { agentName, settings } = useProject(projectId);
  const { view } = dialog;
  const { act, problem } = useVerb(projectId);
  const forking = useFork(projectId, dialogId);
  const exporting = useExport(projectId, view.rootId);
  const [asked, ask] = useState<"none" | "dead" | "archive" | "delete" | "clear">("none");
  const path = pathTo(dialog.tree, dialogId);
  const asker = path.at(-2);
  useEffect(() => {
    if (!isMain || !asker) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "u" || !isPlainKey(event) || isTextField(document.activeElement as HTMLElement | null)) return;
      go({ page: "dialog", projectId, dialogId: asker.selfId });
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [isMain, asker?.selfId, projectId]);

  const isSide = view.supdialogId !== undefined;
  const isOver = view.status !== "running";
  const items: readonly MenuItem[] = [
    { label: words.timeline, onSelect: () => go({ page: "timeline", projectId, dialogId: view.rootId }) },
    ...careItems(words, { projectId, dialogId, view }),
    ...(settings?.tracePage === undefined ? [] : [{ label: words.dialog.openTrace, href: tracePage(settings.tracePage, view.rootId) }]),
    ...(role === "viewer" ? [] : [{ label: words.dialog.fork, onSelect: () => void forking.copy({}) }]),
    { label: words.dialog.export, onSelect: exporting.save },
    { label: words.dialog.clearMind, onSelect: () => ask("clear"), isDisabled: isOver },
    {
      label: words.dialog.stopTree,
      onSelect: () => void act(({ stop }) => stop(dialogId, { tree: true })),
      isDisabled: isOver,
      isApart: true,
    },
    ...(isSide ? [] : [{ label: words.dialog.done, onSelect: () => void act(({ done }) => done(dialogId)), isDisabled: isOver }]),
    ...(isSide || role !== "owner"
      ? []
      : [
          { label: `${words.dialog.archive} …`, onSelect: () => ask("archive"), isDisabled: view.status === "archived" },
          { label: `${words.dialog.delete} …`, onSelect: () => ask("delete") },
        ]),
    ...(isSide && role === "owner"
      ? [{ label: `${words.dialog.dead} …`, onSelect: () => ask("dead"), isDisabled: view.runState === "dead" }]
      : []),
  ];
  return {
    act,
    problem: problem ?? forking.problem ?? exporting.problem,
    asked,
    hide: () => ask("none"),
    path,
    asker,
    items,
    isOver,
    mayAct: role !== "viewer",
    agentName,
  };
}

export type Header = ReturnType<typeof useDialogHeader>;

/** What the team did there, and a fork beside its original. */
function careItems(words: ReturnType<typeof useWords>, { projectId, dialogId, view }: CareOf): readonly MenuItem[] {
  const { rootId, copied } = view;
  const original = copied?.as === "fork" ? copied.from : undefined;
  return [
    { label: words.effects.title, onSelect: () => go({ page: "effects", projectId, dialogId }) },
    ...(original === undefined
      ? []
      : [{ label: words.compare.withOriginal, onSelect: () => go({ page: "compare", projectId, dialogId: original, other: rootId }) }]),
  ];
}

type CareOf = Pick<HeaderProps, "projectId" | "dialogId"> & { readonly view: Loaded["view"] };
