import { useDialog, useProject } from "@colloquy/react";
import { type KeyboardEvent, useState } from "react";
import { useWords } from "../../state/appearance.ts";
import type { Loaded } from "../dialog-column.tsx";
import { NotesTab } from "./panel-notes.tsx";
import { NowTab } from "./panel-now.tsx";
import { TaskOfDialog } from "../../tasks/task-of-dialog.tsx";
import { TaskTab } from "./panel-task.tsx";
import { TreePicture } from "./tree-picture.tsx";

const TABS = ["now", "tree", "task", "notes"] as const;

/** State, tree, Taskdoc and notes of a dialog. On narrow screens it is a sheet. */
export function SidePanel({
  projectId,
  dialogId,
  isSheet,
  onClose,
}: {
  readonly projectId: string;
  readonly dialogId: string;
  readonly isSheet: boolean;
  readonly onClose: () => void;
}) {
  const words = useWords();
  const dialog = useDialog(dialogId, projectId);
  const { agentName } = useProject(projectId);
  const [tab, setTab] = useState<(typeof TABS)[number]>("now");
  if (!dialog.view) return null;
  const loaded = dialog as Loaded;
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    const next = TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length] ?? "now";
    setTab(next);
    document.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  return (
    <aside
      aria-label={words.panel.title}
      className={`flex flex-col border-line bg-panel ${isSheet ? "fixed inset-y-0 right-0 z-30 w-[min(360px,100vw)] border-l shadow-2xl" : "w-[340px] shrink-0 border-l"}`}
    >
      <div className="flex items-center border-b border-line px-2">
        <div role="tablist" aria-label={words.panel.title} onKeyDown={onKeyDown} className="flex flex-1">
          {TABS.map((one) => (
            <button
              key={one}
              id={`tab-${one}`}
              type="button"
              role="tab"
              aria-selected={tab === one}
              aria-controls="panel"
              tabIndex={tab === one ? 0 : -1}
              onClick={() => setTab(one)}
              className={`border-b-2 px-3 py-3 text-[13px] ${tab === one ? "border-accent font-medium" : "border-transparent text-muted hover:text-ink"}`}
            >
              {words.panel[one]}
            </button>
          ))}
        </div>
        {isSheet && (
          <button type="button" className="button button-plain px-2" aria-label={words.panel.close} onClick={onClose}>
            ✕
          </button>
        )}
      </div>
      <div id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0} className="min-h-0 flex-1 overflow-y-auto p-4">
        {tab === "now" && <NowTab projectId={projectId} dialog={loaded} />}
        {tab === "tree" && dialog.tree && <TreePicture tree={dialog.tree} projectId={projectId} current={dialogId} agentName={agentName} />}
        {tab === "task" && <TaskOfDialog projectId={projectId} rootId={dialog.view.rootId} />}
        {tab === "task" && <TaskTab projectId={projectId} dialog={loaded} />}
        {tab === "notes" && <NotesTab projectId={projectId} dialog={loaded} />}
      </div>
    </aside>
  );
}
