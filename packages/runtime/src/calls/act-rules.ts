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

/** What is set for the calls of a tree: the project's settings, and where a person has written it, those of its task. */
export function actRules(deps: Deps, tree: Tree): ActRules {
  const { permissions, architecture } = deps.team();
  return {
    autonomy: autonomyIn(deps, mainDialog(tree)?.taskDocPath, tree.task?.config).hilConfig,
    permissions,
    architecture,
    ...projectPlace(deps.dir),
  };
}

/** What holds for the tree of a Taskdoc. `written`: the version of `config.json` that is the runtime's own. */
export function autonomyIn({ team, documents }: Deps, taskDocPath: string | undefined, written: string | undefined): Autonomy {
  const { autonomy } = team();
  const config = taskDocPath === undefined || !documents.has(taskDocPath) ? undefined : documents.read(configPath(taskDocPath));
  // As it was written when the task was taken, it says nothing of its own.
  const isOurs = config !== undefined && config.hash === written;
  return config && !isOurs ? withTask(autonomy, config.text) : { hilConfig: autonomy, from: "project", isReadable: true };
}

type Autonomy = Omit<TaskAutonomy, "path">;

/** A file that cannot be read may have meant anything: then everything asks. */
function withTask(autonomy: AutonomyConfig, text: string): Autonomy {
  try {
    const { hilConfig } = JSON.parse(text) as { readonly hilConfig?: Partial<Record<keyof AutonomyConfig, AutonomyLevel>> };
    if (hilConfig === undefined) return { hilConfig: autonomy, from: "project", isReadable: true };
    const parsed = AutonomyConfig.partial().safeParse(hilConfig);
    if (parsed.success) return { hilConfig: { ...autonomy, ...hilConfig }, from: "task", isReadable: true };
  } catch {
    // It is no JSON: the same as one that says what there is not.
  }
  return { hilConfig: STRICT, from: "task", isReadable: false };
}
