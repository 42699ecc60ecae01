import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Refused, type ServerConfig, type UserConfig } from "@colloquy/schema";
import type { Document } from "yaml";
import { CONFIG_FILE } from "../open/find-project.ts";
import { readSettings, settingsIfAny } from "./settings.ts";
import { readOwnerFile } from "../open/owner-file.ts";

/** Users with a token of their own, by the settings. */
export async function readUsers(dir: string): Promise<Readonly<Record<string, UserConfig>>> {
  return (await settingsIfAny(dir)).config.users;
}

/** Where a server of this project listens, by the settings. */
export async function readServerSettings(dir: string): Promise<ServerConfig> {
  return (await settingsIfAny(dir)).config.server;
}

/** Adds a user to `colloquy.yaml` and leaves everything else, including comments, unchanged. */
export async function addUser(dir: string, name: string, user: UserConfig): Promise<void> {
  if ((await readUsers(dir))[name]) {
    throw new Refused({
      code: "exists_already",
      message: `There is a user "${name}" already. For a new link: colloquy users token rotate ${name}`,
    });
  }
  await change(dir, (document) => document.setIn(["users", name], document.createNode(user, { flow: true })));
}

/** Gives a user a new token and invalidates the old one. */
export async function changeToken(dir: string, name: string, tokenHash: string): Promise<void> {
  demandUser(await readUsers(dir), name);
  await change(dir, (document) => document.setIn(["users", name, "tokenHash"], tokenHash));
}

function demandUser(users: Readonly<Record<string, UserConfig>>, name: string): void {
  if (users[name]) return;
  const known = Object.keys(users);
  const them = known.length === 0 ? "There are none." : `There are: ${known.join(", ")}.`;
  throw new Refused({ code: "not_found", message: `There is no user "${name}". ${them}` });
}

export async function removeUser(dir: string, name: string): Promise<void> {
  const users = await readUsers(dir);
  demandUser(users, name);
  await change(dir, (document) => document.deleteIn(Object.keys(users).length === 1 ? ["users"] : ["users", name]));
}

async function change(dir: string, edit: (document: Document) => void): Promise<void> {
  const { parseDocument } = await import("yaml"); // rarely needed and slow to load
  const path = join(dir, CONFIG_FILE);
  const before = readOwnerFile(path);
  const document = parseDocument(before);
  edit(document);
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, document.toString({ lineWidth: 0 }));
  renameSync(draft, path);
  try {
    await readSettings(dir);
  } catch (error) {
    // The settings do not accept this name or role: restore the file.
    writeFileSync(path, before);
    throw error;
  }
}
