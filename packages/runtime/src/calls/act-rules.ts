import { type ActRules, mainDialog, type Tree } from "@colloquy/core";
import { AutonomyConfig, type AutonomyLevel, type TaskAutonomy } from "@colloquy/schema";
import type { Deps } from "../engine/deps.ts";
import { projectPlace } from "../watch/project-place.ts";

const STRICT: AutonomyConfig = {
  scopeChanges: "requires_approval",
  architectureDecisions: "requires_approval",
  dependencyModifications: "requires_approval",
};

export const configPath = (taskDocPath: string): string => `${taskDocPath.replace(/\/$/, "")}/config.json`;

/** The settings for the calls of a tree: the project's, overridden by what a person wrote for its task. */
export function actRules(deps: Deps, tree: Tree): ActRules {
  const { permissions, architecture } = deps.team();
  return {
    autonomy: autonomyIn(deps, mainDialog(tree)?.taskDocPath, tree.task?.config).hilConfig,
    permissions,
    architecture,
    holds: tree.copied?.holds,
    ...projectPlace(deps.dir),
  };
}

/** Settings for the tree of a Taskdoc. `written`: the version of `config.json` that the runtime wrote itself. */
export function autonomyIn({ team, documents }: Deps, taskDocPath: string | undefined, written: string | undefined): Autonomy {
  const { autonomy } = team();
  const config = taskDocPath === undefined || !documents.has(taskDocPath) ? undefined : documents.read(configPath(taskDocPath));
  // Unchanged since the runtime wrote it when the task was taken: no override.
  const isOurs = config !== undefined && config.hash === written;
  return config && !isOurs ? withTask(autonomy, config.text) : { hilConfig: autonomy, from: "project", isReadable: true };
}

type Autonomy = Omit<TaskAutonomy, "path">;

/** An unreadable file may have meant anything, so every call asks. */
function withTask(autonomy: AutonomyConfig, text: string): Autonomy {
  try {
    const { hilConfig } = JSON.parse(text) as { readonly hilConfig?: Partial<Record<keyof AutonomyConfig, AutonomyLevel>> };
    if (hilConfig === undefined) return { hilConfig: autonomy, from: "project", isReadable: true };
    const parsed = AutonomyConfig.partial().safeParse(hilConfig);
    if (parsed.success) return { hilConfig: { ...autonomy, ...hilConfig }, from: "task", isReadable: true };
  } catch {
    // Invalid JSON is treated like unknown settings.
  }
  return { hilConfig: STRICT, from: "task", isReadable: false };
}
