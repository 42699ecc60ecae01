import { chmodSync, lstatSync, readlinkSync, renameSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { isHidden, isProgram } from "../files/hidden.ts";
import { OpenFolder } from "../files/open-at.ts";
import { printable } from "../files/listing.ts";
import type { Survey } from "../files/survey.ts";

/** The project before and after a command. */
export interface CommandEffects {
  readonly before: Survey;
  readonly after: Survey;
  /** The command couldn't write in `tasks/`. */
  readonly isTasksClosed: boolean;
  readonly programs: readonly string[];
}

/**
 * Mounts protect existing files, but a command can still create new ones under names that tools may not write. Those are moved to
 * `.dialogs/refused/`, not deleted: a person could have created them at the same moment. Replaced links are restored. Returns the
 * notes for the agent.
 */
export function putRight(root: string, callId: string, { before, after, isTasksClosed, programs }: CommandEffects): readonly string[] {
  const isProtected = (path: string) => isOwn(path) || isProgram(path, programs);
  const known = new Set([...before.hidden, ...before.readOnly].map(({ path }) => path));
  const links = new Map(before.links.map(({ path, target }) => [path, target]));
  const made = [...after.hidden.filter(({ path }) => isHidden(path)), ...after.readOnly.filter(({ path }) => isProtected(path))].map(
    ({ path }) => path,
  );
  const madeLinks = after.links.map(({ path }) => path).filter((path) => isHidden(path) || isProtected(path));

  const refused = new Set<string>();
  for (const path of [...made, ...madeLinks]) {
    if (known.has(path) || links.has(path)) continue;
    // The command couldn't write there, so somebody else did.
    if (isTasksClosed && path.startsWith("tasks/")) continue;
    // A new repository is moved as a whole rather than left without its settings.
    refused.add(path.startsWith(".git/") && !known.has(".git/config") ? ".git" : path);
  }
  // A repository is moved as a whole. If the project's own folder became one, moving HEAD undoes that.
  for (const path of after.repositories) if (!before.repositories.includes(path)) refused.add(path === "" ? "HEAD" : path);
  const replaced = [...links].filter(([path, target]) => targetOf(join(root, path)) !== target);

  for (const path of refused) moveAside(root, path, callId);
  // Two names of the same file, through a link: moving the first may have removed the second.
  const left = [...refused].filter((path) => isThere(join(root, path)));
  const putBack = replaced.filter(([path, target]) => moveAside(root, path, callId) && linked(target, join(root, path)));
  const moved = [...refused].filter((path) => !left.includes(path));
  return [
    ...(moved.length > 0
      ? [
          `Tools may not make ${moved.map(printable).join(", ")}. It was taken out of the project and is kept for people in .dialogs/refused/${callId}/.`,
        ]
      : []),
    ...(after.unnamed.length > 0
      ? [`Remove ${after.unnamed.map((path) => JSON.stringify(path)).join(", ")}: with such names no command can be run here.`]
      : []),
    ...(left.length > 0
      ? [`Tools may not make ${left.map(printable).join(", ")}, and it could not be taken out of the project. Remove it.`]
      : []),
    ...(putBack.length > 0 ? [`Tools may not replace ${putBack.map(([path]) => printable(path)).join(", ")}. It was put back.`] : []),
  ];
}

/** The project's own settings, and its own repository. */
const isOwn = (path: string): boolean => !path.includes("/") || path.startsWith(".git/") || path.startsWith("agents/");

function targetOf(place: string): string | undefined {
  return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(place) : undefined;
}

function isThere(place: string): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // Below a file there is nothing.
  }
}

function linked(target: string, place: string): boolean {
  symlinkSync(target, place);
  return true;
}

/** Returns whether it is out of the way. */
function moveAside(root: string, path: string, callId: string): boolean {
  const parts = path.split("/");
  const name = parts.at(-1) ?? path;
  try {
    OpenFolder.with(root, parts.slice(0, -1).join("/"), (from) => {
      const facts = from.facts(name);
      if (!facts) return;
      // A command that removed our permissions must gain nothing by it.
      const around = statSync(from.at("."));
      if ((around.mode & 0o300) !== 0o300) chmodSync(from.at("."), (around.mode & 0o777) | 0o300);
      if (facts.kind === "folder" && (facts.mode & 0o700) !== 0o700) chmodSync(from.at(name), 0o700);
      const move = (to: OpenFolder) => renameSync(from.at(name), to.at(encodeURIComponent(path.toWellFormed()).slice(-200)));
      OpenFolder.with(root, `.dialogs/refused/${callId}`, move, { makes: true });
    });
    return true;
  } catch {
    return false; // The agent is told that it is still there.
  }
}
