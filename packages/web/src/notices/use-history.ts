import { isNotice, type ProjectNotice, useApis, useProjects } from "@colloquy/react";
import { useFetched } from "../state/use-fetched.ts";

const PAGE_NOTICES = 200;

/** Notices marked as read, newest first; loaded if wanted, and again when another one is marked. */
export function useHistory(isWanted: boolean, count: number): readonly ProjectNotice[] | undefined {
  const apiOf = useApis();
  const projects = useProjects();
  const ids = projects?.map(({ id }) => id).join(" ");
  const [found] = useFetched(async () => {
    if (!isWanted || ids === undefined) return undefined;
    const noticesOf = async (projectId: string) => {
      const { notifications } = await apiOf(projectId).notifications.list({ kind: "notice", status: "resolved", limit: PAGE_NOTICES });
      return notifications.filter(isNotice).map((notice) => ({ ...notice, projectId }));
    };
    const lists = await Promise.all(ids.split(" ").filter(Boolean).map(noticesOf));
    return lists.flat().toSorted((a, b) => (b.resolvedAt ?? "").localeCompare(a.resolvedAt ?? ""));
  }, [isWanted, apiOf, ids, count]);
  return found;
}

/** A notice that is not loaded: already read, or unknown. */
export function useOldNotice(id: string | undefined): ProjectNotice | "not found" | undefined {
  const history = useHistory(id !== undefined, 0);
  if (id === undefined || !history) return undefined;
  return history.find((notice) => notice.id === id) ?? "not found";
}
