import { homedir } from "node:os";
import { relative, sep } from "node:path";

/** Expands `~` in a path. */
export function homePath(path: string, env: Readonly<Record<string, string | undefined>>): string {
  const home = env.HOME ?? homedir();
  return home !== "" && (path === home || path.startsWith(home + sep)) ? `~${path.slice(home.length)}` : path;
}

/** The shorter of the relative and the absolute path. */
export function pathFrom(here: string, path: string, env: Readonly<Record<string, string | undefined>>): string {
  const way = relative(here, path);
  if (way === "") return ".";
  return way.startsWith("..") ? homePath(path, env) : way;
}
