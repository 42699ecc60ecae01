import { useApi, useDialogs, useProject } from "@colloquy/react";
import { useEffect, useState } from "react";
import type { Sought } from "./completion.ts";

export interface Completion {
  readonly key: string;
  readonly kind: "agent" | "file" | "dialog";
  readonly label: string;
  readonly about: string;
  /** The text to insert; for an agent, its id. */
  readonly value: string;
}

const MAX_COMPLETIONS = 8;
/** Minimum number of letters before files are searched. */
const MIN_LETTERS = 2;

/** Completions for the word at the caret: agents then files, or dialogs. */
export function useCompletions(projectId: string, sought: Sought | undefined, taken: readonly string[]): readonly Completion[] {
  const { settings } = useProject(projectId);
  const { rows = [] } = useDialogs(projectId);
  const files = useFiles(projectId, sought?.sign === "@" ? sought.typed : "");
  if (!sought) return [];
  const typed = sought.typed.toLowerCase();
  if (sought.sign === "#")
    return rows
      .filter(({ title, rootId }) => title.toLowerCase().includes(typed) || rootId.endsWith(typed))
      .slice(0, MAX_COMPLETIONS)
      .map(({ rootId, title }) => ({
        key: rootId,
        kind: "dialog",
        label: title,
        about: `#${rootId.slice(-6)}`,
        value: `“${title}” (#${rootId.slice(-6)})`,
      }));
  const agents = (settings?.agents ?? [])
    .filter(({ id, name }) => !taken.includes(id) && [id, name].some((one) => one.toLowerCase().startsWith(typed)))
    .map(({ id, name, role }): Completion => ({ key: id, kind: "agent", label: name, about: role, value: id }));
  return [...agents, ...files.map((file): Completion => ({ key: file, kind: "file", label: file, about: "", value: file }))].slice(
    0,
    MAX_COMPLETIONS,
  );
}

function useFiles(projectId: string, typed: string): readonly string[] {
  const api = useApi(projectId);
  const [found, setFound] = useState<{ readonly typed: string; readonly files: readonly string[] }>();
  useEffect(() => {
    if (typed.length < MIN_LETTERS) return;
    let isGone = false;
    const timer = setTimeout(() => {
      api
        .files({ q: typed, limit: MAX_COMPLETIONS })
        .then(({ files }) => !isGone && setFound({ typed, files }))
        .catch(() => undefined); // without the server there is nothing to offer, and one writes on
    }, 120);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [api, typed]);
  return typed.length >= MIN_LETTERS && found && typed.startsWith(found.typed.slice(0, MIN_LETTERS)) ? found.files : [];
}
