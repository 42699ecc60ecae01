import { closeSync, constants, fchmodSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { madeByAgents } from "../../layers/judge/made-by-agents.ts";
import { commandsTakenOver } from "../protected/own-command.ts";
import { type Facts, OpenFolder, OutOfReach } from "./open-at.ts";
import type { ResolvedPath } from "./resolved-path.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * Puts a whole new file in the place of the old one, if any: nobody ever sees half of it, and other names of the old file (hard
 * links) keep the old content. `path` is how the model calls it, `draft` a name for the file until it is whole.
 */
export function writeWhole(place: ResolvedPath, path: string, content: string, draft: string): void {
  OpenFolder.with(place.root, place.folder, (folder) => replace(folder, place.name, path, content, draft), { makes: true });
}

function replace(folder: OpenFolder, name: string, path: string, content: string, draft: string): void {
  const old = folder.facts(name);
  assertReplaceable(old, path);
  if (name.toLowerCase() === "package.json") assertOwnCommandsStay(old && readFileSync(folder.at(name), "utf8"), path, content);
  rmSync(folder.at(draft), { force: true }); // left by a process that died in the middle of this very call
  const fd = openSync(folder.at(draft), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    try {
      writeFileSync(fd, content);
      if (old) fchmodSync(fd, old.mode & 0o777);
    } finally {
      closeSync(fd);
    }
    folder.assertInPlace();
    // What a person wrote in it since makes it a person's.
    const isAgents = !old || madeByAgents.hasFile(folder.at(name));
    renameSync(folder.at(draft), folder.at(name));
    if (isAgents) madeByAgents.addFile(folder.at(name));
  } catch (error) {
    rmSync(folder.at(draft), { force: true });
    throw error;
  }
}

function assertOwnCommandsStay(before: string | undefined, path: string, content: string): void {
  const taken = commandsTakenOver(content, before);
  if (taken.length === 0) return;
  const names = taken.map((name) => `"${name}"`).join(", ");
  throw new OutOfReach(
    `"${path}" was not written: its "bin" would replace ${names}, which people run outside of the sandbox. Use another name.`,
  );
}

export const draftName = (callId: string): string => `.colloquy-${callId.slice(-12)}.tmp`;

function assertReplaceable(old: Facts | undefined, path: string): void {
  if (old?.kind === "folder") throw new OutOfReach(`"${path}" is a folder.`);
  if (old && old.kind !== "file") throw new OutOfReach(`"${path}" is not a regular file.`);
}
