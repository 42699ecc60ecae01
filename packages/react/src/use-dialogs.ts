import type { DialogRow } from "@colloquy/schema";
import { sharedOf, useDoor, useShared } from "./provider.ts";
import { Shared, soon } from "./shared.ts";
import { projectPath, useProjectId } from "./use-project.ts";

export interface Dialogs {
  readonly rows: readonly DialogRow[] | undefined;
  /** There are older ones on the server. */
  readonly hasMore: boolean;
  readonly more: () => void;
}

/** The main dialogs of a project, newest first, each as it is now. Without a project: of the only one that is served. */
export function useDialogs(named?: string): Dialogs {
  const door = useDoor();
  const projectId = useProjectId(named);
  return useShared(
    sharedOf(door, `dialogs ${projectId}`, () => {
      return new Shared<Dialogs>({ rows: undefined, hasMore: false, more: () => undefined }, (self) => {
        if (projectId === "") return () => undefined;
        let next: string | undefined;
        const path = `${projectPath(projectId)}/dialogs?limit=100`;
        const page = (after?: string) =>
          door.read<{ dialogs: DialogRow[]; next?: string }>(after === undefined ? path : `${path}&after=${encodeURIComponent(after)}`);
        const more = soon(async () => {
          if (next === undefined) return;
          const found = await page(next).catch(() => undefined);
          if (!found) return;
          next = found.next;
          self.set({ rows: [...(self.get().rows ?? []), ...found.dialogs], hasMore: next !== undefined, more });
        }, 0);
        const load = soon(async () => {
          const found = await page().catch(() => undefined);
          if (!found) return;
          next = found.next;
          self.set({ rows: found.dialogs, hasMore: next !== undefined, more });
        }, 0);
        load();
        const stops = [
          door.watchProject(projectId, (packet) => {
            if (packet === "resync") return load();
            if (packet.type !== "dialog.updated") return;
            const rows = self.get().rows ?? [];
            const isKnown = rows.some(({ rootId }) => rootId === packet.dialog.rootId);
            const changed = isKnown
              ? rows.map((row) => (row.rootId === packet.dialog.rootId ? packet.dialog : row))
              : [packet.dialog, ...rows];
            self.set({ ...self.get(), rows: changed });
          }),
          door.onConnection(() => door.connection().state === "live" && load()),
        ];
        return () => {
          for (const stop of stops) stop();
        };
      });
    }),
  );
}
