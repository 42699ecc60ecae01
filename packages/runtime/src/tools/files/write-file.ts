import { closeSync, constants, fchmodSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { madeByAgents } from "../../layers/judge/made-by-agents.ts";
import { commandsTakenOver } from "../protected/own-command.ts";
import { boundedText, MAX_SETTINGS_BYTES } from "./bounded-text.ts";
import { type Facts, OpenFolder, OutOfReach } from "./open-at.ts";
import type { ResolvedPath } from "./resolved-path.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

export interface NewContent {
  /** The path as the model wrote it, for error messages. */
  readonly path: string;
  readonly content: string;
  /** The file's temporary name until it is complete. */
  readonly draft: string;
}

/** Replaces a file, or creates it: readers never see half of it, and other names (hard links) keep the old content. */
export function writeWhole(place: ResolvedPath, next: NewContent): void {
  OpenFolder.with(place.root, place.folder, (folder) => replace(folder, place.name, next), { makes: true });
}

function replace(folder: OpenFolder, name: string, { path, content, draft }: NewContent): void {
  const old = folder.facts(name);
  assertReplaceable(old, path);
  if (name.toLowerCase() === "package.json") assertOwnCommandsStay(boundedText(folder.at(name), MAX_SETTINGS_BYTES), path, content);
  rmSync(folder.at(draft), { force: true }); // left over if the process died during this call
  const fd = openSync(folder.at(draft), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    try {
      writeFileSync(fd, content);
      if (old) fchmodSync(fd, old.mode & 0o777);
    } finally {
      closeSync(fd);
    }
    folder.assertInPlace();
    // If a person has edited it since, it counts as theirs.
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
