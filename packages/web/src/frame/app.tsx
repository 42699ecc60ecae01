import { useProject, useProjects } from "@colloquy/react";
import { Suspense, useEffect, useState } from "react";
import { InboxPage } from "../inbox/inbox-page.tsx";
import { isPlainKey, isTextField } from "../inbox/answer/arming.ts";
import { learnTeam } from "../parts/agent-badge.tsx";
import { NotFound } from "../parts/not-found.tsx";
import { whenNeeded } from "../parts/when-needed.ts";
import { useLanguage, useTheme, useWords } from "../state/appearance.ts";
import { lastTree } from "../state/last-tree.ts";
import { go, type Route, useRoute } from "../state/router.ts";
import { Announcer } from "./announcer.tsx";
import { ConnectionBar } from "./connection-bar.tsx";
import { FaultBoundary } from "./fault-boundary.tsx";
import { LocatePage } from "../pages/locate-page.tsx";
import { Keys } from "./keys.tsx";
import { Palette } from "./palette.tsx";
import { Rail } from "./rail.tsx";
import { useIsPhone } from "./use-is-phone.ts";

const DialogPage = whenNeeded(
  () => import("../dialog/dialog-page.tsx"),
  (module) => module.DialogPage,
);
const TimelinePage = whenNeeded(
  () => import("../timeline/timeline-page.tsx"),
  (module) => module.TimelinePage,
);
const DialogsPage = whenNeeded(
  () => import("../pages/dialogs-page.tsx"),
  (module) => module.DialogsPage,
);
const TasksPage = whenNeeded(
  () => import("../tasks/tasks-page.tsx"),
  (module) => module.TasksPage,
);
const TaskPage = whenNeeded(
  () => import("../tasks/task-page.tsx"),
  (module) => module.TaskPage,
);
const NewPage = whenNeeded(
  () => import("../pages/new-page.tsx"),
  (module) => module.NewPage,
);
const SettingsPage = whenNeeded(
  () => import("../pages/settings/settings-page.tsx"),
  (module) => module.SettingsPage,
);
const EffectsPage = whenNeeded(
  () => import("../effects/effects-page.tsx"),
  (module) => module.EffectsPage,
);
const ComparePage = whenNeeded(
  () => import("../pages/compare-page.tsx"),
  (module) => module.ComparePage,
);
const ActivityPage = whenNeeded(
  () => import("../pages/activity-page.tsx"),
  (module) => module.ActivityPage,
);

export function App() {
  useTheme();
  const words = useWords();
  const [language] = useLanguage();
  const route = useRoute();
  const isPhone = useIsPhone();
  const [shown, show] = useState<"none" | "keys" | "palette">("none");
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const projects = useProjects();
  useGlobalKeys(route, projects?.[0]?.id, show);
  // On phones a dialog fills the page.
  const hasRail =
    !isPhone ||
    !(
      route.page === "dialog" ||
      route.page === "timeline" ||
      (route.page === "inbox" && (route.questionId ?? route.noticeId) !== undefined)
    );
  return (
    <div className="flex h-full flex-col">
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-lg focus:bg-panel focus:p-2">
        {words.skip}
      </a>
      <ConnectionBar />
      <div className="flex min-h-0 flex-1 max-sm:flex-col-reverse">
        {hasRail && <Rail route={route} onHelp={() => show("keys")} onFind={() => show("palette")} />}
        <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 outline-none">
          <FaultBoundary place={JSON.stringify(route)} title={words.partFailed} again={words.reload}>
            <Suspense fallback={null}>
              <Page route={route} isPhone={isPhone} />
            </Suspense>
          </FaultBoundary>
        </main>
      </div>
      <Announcer />
      {projects?.map(({ id }) => (
        <Team key={id} projectId={id} />
      ))}
      {shown === "keys" && <Keys route={route} onClose={() => show("none")} />}
      {shown === "palette" && <Palette onClose={() => show("none")} />}
    </div>
  );
}

function Team({ projectId }: { readonly projectId: string }) {
  const { settings } = useProject(projectId);
  if (settings) learnTeam(settings.agents.map(({ id }) => id));
  return null;
}

function Page({ route, isPhone }: { readonly route: Route; readonly isPhone: boolean }) {
  switch (route.page) {
    case "inbox":
      return <InboxPage questionId={route.questionId} noticeId={route.noticeId} projectId={route.projectId} isPhone={isPhone} />;
    case "dialogs":
      return <DialogsPage projectId={route.projectId} />;
    case "tasks":
      return <TasksPage projectId={route.projectId} isNew={route.isNew === true} isPhone={isPhone} />;
    case "task":
      return <TaskPage key={`${route.projectId} ${route.taskId}`} projectId={route.projectId} taskId={route.taskId} />;
    case "new":
      return <NewPage projectId={route.projectId} />;
    case "dialog":
      return <DialogPage key={`${route.projectId} ${route.dialogId}`} route={route} isPhone={isPhone} />;
    case "timeline":
      return (
        <TimelinePage
          key={`${route.projectId} ${route.dialogId}`}
          projectId={route.projectId}
          dialogId={route.dialogId}
          isPhone={isPhone}
        />
      );
    case "compare":
      return <ComparePage projectId={route.projectId} dialogId={route.dialogId} other={route.other} />;
    case "effects":
      return <EffectsPage projectId={route.projectId} dialogId={route.dialogId} />;
    case "activity":
      return <ActivityPage />;
    case "settings":
      return <SettingsPage projectId={route.projectId} />;
    case "locate":
      return <LocatePage id={route.id} />;
    case "nowhere":
      return <NotFound />;
  }
}

/** Navigation shortcuts. None of them answers a question. */
function useGlobalKeys(route: Route, firstProject: string | undefined, show: (what: "keys" | "palette") => void): void {
  useEffect(() => {
    let wasG = 0;
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        return show("palette");
      }
      if (!isPlainKey(event) || event.defaultPrevented || isTextField(document.activeElement as HTMLElement | null)) return;
      if (document.querySelector("dialog[open], [role=menu]")) return;
      const now = performance.now();
      const isAfterG = now - wasG < 1_000;
      wasG = event.key === "g" ? now : 0;
      const projectId = "projectId" in route ? route.projectId : undefined;
      const tree = route.page === "dialog" ? { projectId: route.projectId, dialogId: route.dialogId } : lastTree();
      if (isAfterG && event.key === "i") go({ page: "inbox" });
      else if (isAfterG && event.key === "d") go({ page: "dialogs", ...(projectId !== undefined && { projectId }) });
      else if (isAfterG && event.key === "t") go({ page: "tasks", ...(projectId !== undefined && { projectId }) });
      else if (isAfterG && event.key === "a") go({ page: "activity" });
      else if (isAfterG && event.key === "l" && tree) go({ page: "timeline", ...tree });
      else if (event.key === "?") show("keys");
      else if (event.key === "/") show("palette");
      else if (event.key === "n" && (route.page === "tasks" || route.page === "task") && firstProject !== undefined)
        go({ page: "tasks", projectId: projectId ?? firstProject, isNew: true });
      else if (event.key === "n" && route.page !== "dialog" && route.page !== "timeline")
        go({ page: "new", ...(projectId !== undefined && { projectId }) });
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [route, firstProject, show]);
}
