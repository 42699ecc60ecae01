// Keys that people and CI leave in git's settings: in URLs, as headers, as passwords. Tools see the settings without them.
import { folded } from "../files/hidden.ts";

/** `https://name:key@host`: a key alone may replace the name. SSH needs the name. */
const IN_ADDRESS = /\b((?:https?|ftps?):\/\/)[^\s/@"']*@/gi;
const SSH_PASSWORD = /\b(ssh:\/\/[^\s/@:"']*):[^\s/@"']*@/gi;
/** The start of a setting, perhaps after its section heading, and its whole value, which may continue on the next line. */
const SETTING = /^([ \t]*(?:\[[^\]\n]*\][ \t]*)?)([a-z][a-z0-9-]*)([ \t]*=(?:\\\r?\n|[^\n])*)/gim;
const NAMES_KEY = /extraheader|pass(?:$|wd|word|phrase)|token|secret|apikey|oauth|cookie$/i;
const HOLDS_KEY = /password|token|secret|authorization/i;

/** Git's settings without the keys; comments mark where one was. */
export function withoutKeys(settings: string): string {
  return settings
    .replace(IN_ADDRESS, "$1")
    .replace(SSH_PASSWORD, "$1@")
    .replace(SETTING, (all: string, before: string, name: string, value: string) =>
      NAMES_KEY.test(name) || (name.toLowerCase() === "helper" && HOLDS_KEY.test(value)) ? `${before}# ${name} is hidden from tools` : all,
    );
}

const SETTINGS = new Set(["config", "config.worktree"]);

/** Could this name be one of git's settings files, inside a git folder? */
export const isSettingsName = (path: string): boolean => SETTINGS.has(folded(path.slice(path.lastIndexOf("/") + 1)));
