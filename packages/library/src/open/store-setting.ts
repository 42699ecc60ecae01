import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ConfigInput, Refused, VARIABLE } from "@colloquy/schema";
import { readSettings, type Settings, settingsInCode } from "../team/settings.ts";
import type { TrustGate } from "../team/project-team.ts";
import { type Environment, environmentOf } from "./environment.ts";
import { CONFIG_FILE } from "./find-project.ts";
import { reachHash, reachOf } from "./folder-reach.ts";
import { readOwnerFile } from "./owner-file.ts";

interface StoreSources {
  readonly trust?: TrustGate | undefined;
  /** Settings in code instead of `colloquy.yaml`. */
  readonly config?: ConfigInput | (() => ConfigInput) | undefined;
}

/** True if a project is in a database because its settings say so: then even reading it contacts that database. */
export const isStoreInSettings = async (dir: string, env: Environment): Promise<boolean> =>
  isUnset(env) && ((await settingsWithStore(dir))?.config.store ?? "file:") !== "file:";

/**
 * The address of a project's store: `--store` or `COLLOQUY_STORE`, else `store` in `colloquy.yaml`, with its variables filled in. Empty:
 * the folder. `trust` is asked before anything of the settings is used.
 */
export async function storeUrl(dir: string, env: Environment, { trust, config }: StoreSources = {}): Promise<string> {
  if (!isUnset(env)) return env.COLLOQUY_STORE ?? "";
  const inCode = typeof config === "function" ? config() : config;
  const settings = inCode ? settingsInCode(inCode) : await settingsWithStore(dir);
  const store = settings?.config.store;
  if (!settings || store === undefined || store === "file:") return "";
  if (!inCode && trust && !trust.admits(reachHash(reachOf(settings, dir))))
    throw new Refused({
      code: "bad_config",
      message: `${join(dir, CONFIG_FILE)} keeps the project in a database, which you have not trusted. If you do: ${trust.howTo}`,
    });
  const all = environmentOf(dir, env);
  return store.replaceAll(VARIABLE, (_, name: string) => {
    const value = all[name];
    if (value !== undefined && value !== "") return encodeURIComponent(value);
    throw new Refused({
      code: "bad_config",
      message: `${CONFIG_FILE}: store names \${${name}}, which is not set. Set it, or take it out.`,
    });
  });
}

const isUnset = (env: Environment): boolean => (env.COLLOQUY_STORE ?? "") === "";

/** Most projects have no `store`; their settings are not parsed here. */
async function settingsWithStore(dir: string): Promise<Settings | undefined> {
  const file = join(dir, CONFIG_FILE);
  return existsSync(file) && /(?:^|[\s{,])["']?store["']?\s*:/m.test(readOwnerFile(file)) ? readSettings(dir) : undefined;
}
