import type { ServerPacket } from "@colloquy/schema";
import type { Door } from "./door.ts";
import { projectsOf } from "./use-project.ts";

/**
 * Hears of every project that is served, also of those that come later. `load` is called at the beginning, when the list of
 * projects has changed, and when the connection is back. Gives the way to stop.
 */
export function watchProjects(
  door: Door,
  { hear, load }: { readonly hear: (packet: ServerPacket | "resync") => void; readonly load: () => void },
): () => void {
  const projects = projectsOf(door);
  const watched = new Map<string, () => void>();
  const watch = () => {
    for (const { id } of projects.get() ?? []) if (!watched.has(id)) watched.set(id, door.watchProject(id, hear));
    load();
  };
  const stops = [projects.subscribe(watch), door.onConnection(() => door.connection().state === "live" && load())];
  watch();
  return () => {
    for (const stop of [...stops, ...watched.values()]) stop();
  };
}
