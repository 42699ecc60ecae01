import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** The person's own configuration. A relative `XDG_CONFIG_HOME` would mean another folder for each command. */
export function configFolder(env: Env): string {
  const named = env.XDG_CONFIG_HOME;
  return join(named !== undefined && isAbsolute(named) ? named : join(env.HOME || homedir(), ".config"), "colloquy");
}

/** The person's list of projects: `serve` serves them when called outside a project. */
const pathOf = (env: Env): string => join(configFolder(env), "projects.json");

export function knownProjects(env: Env): readonly string[] {
  try {
    const { projects } = JSON.parse(readFileSync(pathOf(env), "utf8")) as { projects: readonly string[] };
    return projects;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

export function rememberProjects(env: Env, projects: readonly string[]): void {
  const path = pathOf(env);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}.tmp`, `${JSON.stringify({ projects }, undefined, 2)}\n`);
  renameSync(`${path}.${process.pid}.tmp`, path);
}
