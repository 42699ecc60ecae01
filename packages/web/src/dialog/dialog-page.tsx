import { useEffect, useState } from "react";
import { useIsWide } from "../frame/use-is-phone.ts";
import { useKept } from "../state/kept.ts";
import { rememberTree } from "../state/last-tree.ts";
import { go, type Route } from "../state/router.ts";
import { DialogColumn } from "./dialog-column.tsx";
import { SidePanel } from "./panel/side-panel.tsx";

/** A dialog, with another dialog of its tree or the side panel beside it. */
export function DialogPage({ route, isPhone }: { readonly route: Extract<Route, { page: "dialog" }>; readonly isPhone: boolean }) {
  const { projectId, dialogId, beside, seq, course } = route;
  const isWide = useIsWide();
  useEffect(() => rememberTree(projectId, dialogId), [projectId, dialogId]);
  const [panelKept, keepPanel] = useKept("panel");
  const [isSheet, setSheet] = useState(false);
  const hasPanel = isWide ? panelKept !== "closed" && beside === undefined : isSheet;
  const togglePanel = () =>
    isWide
      ? beside === undefined
        ? keepPanel(hasPanel ? "closed" : undefined)
        : go({ page: "dialog", projectId, dialogId })
      : setSheet(!isSheet);
  const openBeside = (id: string) =>
    go(isWide ? { page: "dialog", projectId, dialogId, beside: id } : { page: "dialog", projectId, dialogId: id });
  return (
    <div className="flex min-h-0 min-w-0 flex-1">
      <DialogColumn
        projectId={projectId}
        dialogId={dialogId}
        seq={seq}
        course={course}
        isPhone={isPhone}
        onOpen={openBeside}
        onPanel={togglePanel}
        hasPanel={hasPanel}
        isMain
      />
      {beside !== undefined && isWide && (
        <div className="flex min-w-0 flex-1 border-l border-line">
          <DialogColumn
            key={beside}
            projectId={projectId}
            dialogId={beside}
            seq={undefined}
            isPhone={isPhone}
            onOpen={(id) => go({ page: "dialog", projectId, dialogId: beside, beside: id })}
            onClose={() => go({ page: "dialog", projectId, dialogId })}
          />
        </div>
      )}
      {hasPanel && <SidePanel projectId={projectId} dialogId={dialogId} isSheet={!isWide} onClose={togglePanel} />}
    </div>
  );
}
