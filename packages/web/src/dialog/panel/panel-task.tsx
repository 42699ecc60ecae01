import { useApi } from "@colloquy/react";
import { useFetched } from "../../state/use-fetched.ts";
import type { Loaded } from "../dialog-column.tsx";
import { TaskdocSection } from "./taskdoc-section.tsx";

const SECTIONS = ["goals", "constraints", "progress"] as const;

/** The Taskdoc, editable in place. Changes that others made meanwhile are never overwritten. */
export function TaskTab({ projectId, dialog: { view, events } }: { readonly projectId: string; readonly dialog: Loaded }) {
  const { dialogs } = useApi(projectId);
  const lastWrite = events.findLast(({ event }) => event.type === "document.written")?.seq;
  const [doc, reload] = useFetched(() => dialogs.taskdoc(view.rootId), [dialogs, view.rootId, lastWrite]);
  if (!doc) return null;
  return (
    <>
      <p className="mb-4 font-mono text-xs text-muted">{doc.path}</p>
      {SECTIONS.map((name) => (
        <TaskdocSection key={name} name={name} rootId={view.rootId} section={doc.sections[name]} projectId={projectId} reload={reload} />
      ))}
    </>
  );
}
