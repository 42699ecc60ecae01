import { useSyncExternalStore } from "react";

/** Pages by address. Unknown ids are reported as not found, never guessed. */
export type Route =
  | { readonly page: "inbox"; readonly projectId?: string; readonly questionId?: string; readonly noticeId?: string }
  | { readonly page: "dialogs"; readonly projectId?: string }
  | { readonly page: "tasks"; readonly projectId?: string; readonly isNew?: boolean }
  | { readonly page: "task"; readonly projectId: string; readonly taskId: string }
  | { readonly page: "new"; readonly projectId?: string }
  | { readonly page: "activity" }
  /** `dialogId`: only what happened in that dialog. */
  | { readonly page: "effects"; readonly projectId?: string; readonly dialogId?: string }
  | {
      readonly page: "dialog";
      readonly projectId: string;
      readonly dialogId: string;
      readonly seq?: number;
      readonly course?: number;
      readonly beside?: string;
    }
  /** Two trees side by side. */
  | { readonly page: "compare"; readonly projectId: string; readonly dialogId: string; readonly other: string }
  | { readonly page: "timeline"; readonly projectId: string; readonly dialogId: string }
  | { readonly page: "settings"; readonly projectId?: string }
  /** A dialog or question by its id alone, as the command line and notifications name it. */
  | { readonly page: "locate"; readonly id: string }
  | { readonly page: "nowhere" };

const part = (text: string | undefined): string => decodeURIComponent(text ?? "");

export function parseRoute(pathname: string, search = "", hash = ""): Route {
  const [first, pid, kind, id, more, other] = pathname.split("/").filter(Boolean);
  if (first === undefined) return { page: "inbox" };
  if (first === "activity") return { page: "activity" };
  if (first === "effects") return { page: "effects" };
  if (first === "dialogs" || first === "tasks" || first === "new" || first === "settings") return { page: first };
  if ((first === "d" || first === "q") && pid !== undefined) return { page: "locate", id: part(pid) };
  if (first !== "p" || pid === undefined) return { page: "nowhere" };
  const projectId = part(pid);
  if (kind === undefined || kind === "dialogs") return { page: "dialogs", projectId };
  if (kind === "effects") return { page: "effects", projectId };
  if (kind === "d" && id !== undefined && more === "effects") return { page: "effects", projectId, dialogId: part(id) };
  if (kind === "new" || kind === "settings") return { page: kind, projectId };
  if (kind === "tasks") return { page: "tasks", projectId, ...(id === "new" && { isNew: true }) };
  if (kind === "t" && id !== undefined) return { page: "task", projectId, taskId: part(id) };
  if (kind === "n" && id !== undefined) return { page: "inbox", projectId, noticeId: part(id) };
  if (kind === "q" && id !== undefined) return { page: "inbox", projectId, questionId: part(id) };
  if (kind === "d" && id !== undefined && more === "compare" && other !== undefined)
    return { page: "compare", projectId, dialogId: part(id), other: part(other) };
  if (kind === "d" && id !== undefined && more === "timeline") return { page: "timeline", projectId, dialogId: part(id) };
  if (kind === "d" && id !== undefined) {
    const beside = new URLSearchParams(search).get("beside");
    const seq = /^#e(\d+)$/.exec(hash)?.[1];
    const course = /^#c(\d+)$/.exec(hash)?.[1];
    return {
      page: "dialog",
      projectId,
      dialogId: part(id),
      ...(seq !== undefined && { seq: Number(seq) }),
      ...(course !== undefined && { course: Number(course) }),
      ...(beside !== null && { beside }),
    };
  }
  return { page: "nowhere" };
}

export function pathOf(route: Route): string {
  const project = "projectId" in route && route.projectId !== undefined ? `/p/${encodeURIComponent(route.projectId)}` : "";
  switch (route.page) {
    case "inbox":
      if (route.noticeId !== undefined) return `${project}/n/${encodeURIComponent(route.noticeId)}`;
      return route.questionId === undefined ? "/" : `${project}/q/${encodeURIComponent(route.questionId)}`;
    case "tasks":
      return `${project}/tasks${route.isNew === true && project !== "" ? "/new" : ""}`;
    case "task":
      return `${project}/t/${encodeURIComponent(route.taskId)}`;
    case "dialogs":
    case "new":
    case "settings":
      return `${project}/${route.page}`;
    case "dialog": {
      const beside = route.beside === undefined ? "" : `?beside=${encodeURIComponent(route.beside)}`;
      const place = route.seq !== undefined ? `#e${route.seq}` : route.course !== undefined ? `#c${route.course}` : "";
      return `${project}/d/${encodeURIComponent(route.dialogId)}${beside}${place}`;
    }
    case "effects":
      return route.dialogId === undefined ? `${project}/effects` : `${project}/d/${encodeURIComponent(route.dialogId)}/effects`;
    case "compare":
      return `${project}/d/${encodeURIComponent(route.dialogId)}/compare/${encodeURIComponent(route.other)}`;
    case "timeline":
      return `${project}/d/${encodeURIComponent(route.dialogId)}/timeline`;
    case "locate":
      return `/d/${encodeURIComponent(route.id)}`;
    case "activity":
      return "/activity";
    case "nowhere":
      return "/";
  }
}

const listeners = new Set<() => void>();
let shownHref = "";
let shown: Route = { page: "inbox" };

function current(): Route {
  if (location.href !== shownHref) {
    shownHref = location.href;
    shown = parseRoute(location.pathname, location.search, location.hash);
  }
  return shown;
}

export function go(route: Route, how: "push" | "replace" = "push"): void {
  const path = pathOf(route);
  if (path === location.pathname + location.search + location.hash) return;
  history[how === "push" ? "pushState" : "replaceState"](null, "", path);
  for (const listen of listeners) listen();
}

export const useRoute = (): Route =>
  useSyncExternalStore((listen) => {
    listeners.add(listen);
    addEventListener("popstate", listen);
    addEventListener("hashchange", listen);
    return () => {
      listeners.delete(listen);
      removeEventListener("popstate", listen);
      removeEventListener("hashchange", listen);
    };
  }, current);
