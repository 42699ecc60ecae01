import { existsSync, statSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { type NostrConfig, Refused, secretKeyIn } from "@colloquy/schema";
import { type Settings, settingsIfAny } from "../team/settings.ts";
import { type Environment, environmentOf } from "./environment.ts";
import { readOwnerFile } from "./owner-file.ts";

/** In a folder that no tool can reach. */
export const NOSTR_KEYS_FILE = ".dialogs/nostr.keys";
const OTHERS = 0o077;

/** Secret keys in hex. */
export interface NostrKeys {
  readonly agents: ReadonlyMap<string, string>;
  readonly project: string | undefined;
  /** Variables that the settings name and that are set nowhere. */
  readonly missing: readonly string[];
}

/** The variables of the keys file. Throws `Refused` if others can read it. */
export function nostrKeysFile(dir: string): Environment {
  const path = join(dir, NOSTR_KEYS_FILE);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return {};
  if (process.platform !== "win32" && (stat.mode & OTHERS) !== 0) {
    const message = `${path} holds secret keys, and others on this machine can read it. Run: chmod 600 ${path}`;
    throw new Refused({ code: "bad_config", message });
  }
  return parseEnv(readOwnerFile(path));
}

/** The variables that hold secret keys, by the settings. */
export const nostrVariables = (settings: Settings | undefined): readonly string[] => [
  ...[...(settings?.agents.values() ?? [])].flatMap(({ nostr }) => nostr?.keyEnv ?? []),
  ...(settings?.config.nostr?.project ? [settings.config.nostr.project.keyEnv] : []),
];

/** The keys that the settings name: from the environment, else from the keys file. Throws `Refused` for one that is no key. */
export function nostrKeys(settings: Settings, dir: string, env: Environment): NostrKeys {
  const all = { ...nostrKeysFile(dir), ...env };
  const missing = new Set<string>();
  const keyIn = (name: string): string | undefined => {
    const text = all[name]?.trim();
    if (!text) {
      missing.add(name);
      return undefined;
    }
    const key = secretKeyIn(text);
    if (key === undefined)
      throw new Refused({ code: "bad_config", message: `${name} is no secret key: it must be nsec1… or 64 hex digits.` });
    return key;
  };
  const agents = new Map<string, string>();
  for (const [id, { nostr }] of settings.agents) {
    const key = nostr && keyIn(nostr.keyEnv);
    if (key !== undefined) agents.set(id, key);
  }
  const named = settings.config.nostr?.project?.keyEnv;
  return { agents, project: named === undefined ? undefined : keyIn(named), missing: [...missing] };
}

export interface NostrInFolder extends NostrKeys {
  readonly config: NostrConfig | undefined;
  readonly members: readonly { readonly id: string; readonly name: string }[];
  /** The variables that hold the keys. */
  readonly variables: { readonly agents: ReadonlyMap<string, string>; readonly project: string | undefined };
}

/** What a folder's settings say about Nostr. */
export async function nostrIn(dir: string, env: Environment): Promise<NostrInFolder> {
  const settings = await settingsIfAny(dir);
  const { config, agents } = settings;
  return {
    ...nostrKeys(settings, dir, environmentOf(dir, env)),
    config: config.nostr,
    members: [...agents].map(([id, { name }]) => ({ id, name: name ?? id })),
    variables: {
      agents: new Map([...agents].flatMap(([id, { nostr }]) => (nostr ? [[id, nostr.keyEnv] as const] : []))),
      project: config.nostr?.project?.keyEnv,
    },
  };
}

/** Adds keys to the keys file, durably. Those that are there stay. */
export async function addNostrKeys(dir: string, keys: Readonly<Record<string, string>>): Promise<void> {
  const path = join(dir, NOSTR_KEYS_FILE);
  const before = Object.entries(nostrKeysFile(dir));
  const lines = [...before, ...Object.entries(keys)].map(([name, key]) => `${name}=${key}\n`);
  if (!existsSync(dirname(path))) await mkdir(dirname(path));
  const draft = `${path}.${process.pid}.draft`;
  await rm(draft, { force: true });
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(lines.join(""));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}
