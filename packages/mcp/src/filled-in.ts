import { VARIABLE } from "@colloquy/schema";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Puts the environment's values where `${NAME}` stands. Throws with the name of what is not set. */
export function filledIn(text: string, env: Environment, where: string): string {
  return text.replaceAll(VARIABLE, (_, name: string) => valueOf(env, name, where));
}

/** The same for what is only looked at: a variable that is not set stays as it is written. */
export const filledInIfSet = (text: string, env: Environment): string =>
  text.replaceAll(VARIABLE, (written, name: string) => env[name] || written);

export function valueOf(env: Environment, name: string, where: string): string {
  const value = env[name];
  if (value === undefined || value === "") throw new Error(`${where} needs ${name}, which is not set in the environment or in .env.`);
  return value;
}

/** All that a server is given of our environment beside what its settings name. Everything else may be a secret, whatever its name. */
const KEPT = /^(?:PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|LANG|LANGUAGE|LC_[A-Z]+|TZ|XDG_(?:CACHE|CONFIG|DATA)_HOME)$/;
/** Without these a program does not start on Windows. */
const KEPT_ON_WINDOWS =
  /^(?:Path|PATHEXT|APPDATA|LOCALAPPDATA|PROGRAMDATA|ProgramFiles|ProgramFiles\(x86\)|SystemDrive|SystemRoot|TEMP|TMP|USERPROFILE|USERNAME|WINDIR|ComSpec)$/i;

export function serverEnv(given: Environment, named: Readonly<Record<string, string>>, where: string): Record<string, string> {
  const isKept = (name: string) => KEPT.test(name) || (process.platform === "win32" && KEPT_ON_WINDOWS.test(name));
  const kept = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined && isKept(entry[0]));
  const own = Object.entries(named).map(([name, value]) => [name, filledIn(value, given, `${where}.env.${name}`)] as const);
  return { ...Object.fromEntries(kept), ...Object.fromEntries(own) };
}
