import { realpathSync } from "node:fs";
import { posix, win32 } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The program that shows a page, and its environment. Agents write in the project, and `npx` puts a folder of the project first on
 * the PATH, so neither the program nor what it starts is looked up there.
 */
export function browser(env: Environment, platform: NodeJS.Platform, dir: string): { readonly command: string; readonly env: Environment } {
  const paths = platform === "win32" ? win32 : posix;
  const path = (env["PATH"] ?? "").split(paths.delimiter).filter((entry) => paths.isAbsolute(entry) && !isInProject(entry, dir));
  const usual =
    platform === "darwin"
      ? "/usr/bin/open"
      : platform === "win32"
        ? paths.join(env["SystemRoot"] ?? String.raw`C:\Windows`, "explorer.exe")
        : "xdg-open";
  return { command: env["BROWSER"] ?? usual, env: { ...env, PATH: path.join(paths.delimiter) } };
}

function isInProject(entry: string, dir: string): boolean {
  const root = realPlace(dir);
  const place = realPlace(entry);
  return place === root || place.startsWith(`${root}/`) || place.startsWith(`${root}\\`);
}

function realPlace(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // Missing, so nothing is started from it.
  }
}
