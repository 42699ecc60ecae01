import { VARIABLE } from "@colloquy/schema";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Replaces `${NAME}` with the environment's value. Throws with the name of an unset variable. */
export function filledIn(text: string, env: Environment, where: string): string {
  return text.replaceAll(VARIABLE, (_, name: string) => valueOf(env, name, where));
}

/** The same for reading only: an unset variable stays as written. */
export const filledInIfSet = (text: string, env: Environment): string =>
  text.replaceAll(VARIABLE, (written, name: string) => env[name] || written);

export function valueOf(env: Environment, name: string, where: string): string {
  const value = env[name];
  if (value === undefined || value === "") throw new Error(`${where} needs ${name}, which is not set in the environment or in .env.`);
  return value;
}

/** The only variables of our environment that a server gets besides those in its settings. Any other may be a secret, whatever its name. */
const KEPT = /^(?:PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|LANG|LANGUAGE|LC_[A-Z]+|TZ|XDG_(?:CACHE|CONFIG|DATA)_HOME)$/;
/** Programs don't start on Windows without these. */
const KEPT_ON_WINDOWS =
  /^(?:Path|PATHEXT|APPDATA|LOCALAPPDATA|PROGRAMDATA|ProgramFiles|ProgramFiles\(x86\)|SystemDrive|SystemRoot|TEMP|TMP|USERPROFILE|USERNAME|WINDIR|ComSpec)$/i;

export function serverEnv(given: Environment, named: Readonly<Record<string, string>>, where: string): Record<string, string> {
  const isKept = (name: string) => KEPT.test(name) || (process.platform === "win32" && KEPT_ON_WINDOWS.test(name));
  const kept = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined && isKept(entry[0]));
  const own = Object.entries(named).map(([name, value]) => [name, filledIn(value, given, `${where}.env.${name}`)] as const);
  return { ...Object.fromEntries(kept), ...Object.fromEntries(own) };
}
