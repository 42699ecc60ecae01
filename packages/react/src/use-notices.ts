import type { Notification } from "@colloquy/schema";
import type { Door } from "./door.ts";
import { sharedOf, useDoor, useShared } from "./provider.ts";
import { Shared, soon } from "./shared.ts";
import { projectPath, projectsOf } from "./use-project.ts";
import { watchProjects } from "./watch-projects.ts";

/** What an agent did without asking, and the project that it belongs to. */
export interface ProjectNotice extends Notification {
  readonly projectId: string;
  readonly notice: NonNullable<Notification["notice"]>;
}

const PAGE = 200;

/** Every notice of every project that nobody has put away, newest first. Undefined until they are known. */
export const useNotices = (): readonly ProjectNotice[] | undefined => useShared(noticesOf(useDoor()));

function noticesOf(door: Door): Shared<readonly ProjectNotice[] | undefined> {
  return sharedOf(door, "notices", () => {
    return new Shared<readonly ProjectNotice[] | undefined>(undefined, (self) => {
      const projects = projectsOf(door);
      const load = soon(async () => {
        const ids = projects.get()?.map(({ id }) => id);
        if (!ids) return;
        const lists = await Promise.all(ids.map((id) => readNotices(door, id, "open"))).catch(() => undefined);
        if (lists) self.set(lists.flatMap(({ notices }) => notices).toSorted(byTime));
      });
      return watchProjects(door, {
        hear: (packet) => {
          if (packet === "resync" || packet.type === "notification.resolved") return load();
          if (packet.type === "notification.added" && packet.notification.kind === "notice") load();
        },
        load,
      });
    });
  });
}

/** A part of them: those that nobody has put away, or those that somebody has. */
export async function readNotices(
  door: Door,
  projectId: string,
  status: Notification["status"],
  after?: string,
): Promise<{ readonly notices: readonly ProjectNotice[]; readonly next: string | undefined }> {
  const from = after === undefined ? "" : `&after=${encodeURIComponent(after)}`;
  const { notifications, next } = await door.read<{ notifications: Notification[]; next?: string }>(
    `${projectPath(projectId)}/notifications?kind=notice&status=${status}&limit=${PAGE}${from}`,
  );
  return { notices: notifications.flatMap((one) => (one.notice ? [{ ...one, notice: one.notice, projectId }] : [])), next };
}

const byTime = (a: ProjectNotice, b: ProjectNotice): number => b.createdAt.localeCompare(a.createdAt);
