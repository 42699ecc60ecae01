import { type ActRules, mainDialog, type Tree } from "@colloquy/core";
import { AutonomyConfig, type AutonomyLevel } from "@colloquy/schema";
import type { Deps } from "./deps.ts";

const STRICT: AutonomyConfig = {
  scopeChanges: "requires_approval",
  architectureDecisions: "requires_approval",
  dependencyModifications: "requires_approval",
};

const configPath = (taskDocPath: string): string => `${taskDocPath.replace(/\/$/, "")}/config.json`;

/** What is set for the calls of a tree: the project's settings, and where a person has written it, those of its task. */
export function actRules({ team, documents, dir }: Deps, tree: Tree): ActRules {
  const { autonomy, permissions, architecture } = team();
  const path = mainDialog(tree)?.taskDocPath;
  const config = path === undefined || !documents.has(path) ? undefined : documents.read(configPath(path));
  // As it was written when the task was taken, it says nothing of its own.
  const isOurs = config !== undefined && config.hash === tree.task?.config;
  return { autonomy: config && !isOurs ? withTask(autonomy, config.text) : autonomy, permissions, architecture, dir };
}

/** A file that cannot be read may have meant anything: then everything asks. */
function withTask(autonomy: AutonomyConfig, text: string): AutonomyConfig {
  try {
    const { hilConfig } = JSON.parse(text) as { readonly hilConfig?: Partial<Record<keyof AutonomyConfig, AutonomyLevel>> };
    if (hilConfig === undefined) return autonomy;
    const parsed = AutonomyConfig.partial().safeParse(hilConfig);
    return parsed.success ? { ...autonomy, ...hilConfig } : STRICT;
  } catch {
    return STRICT; // it is no JSON: the same
  }
}
