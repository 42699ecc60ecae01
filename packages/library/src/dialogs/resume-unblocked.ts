import type { Tree } from "@colloquy/core";
import type { Commands, ProjectContext } from "@colloquy/runtime";
import { type DialogId, Fault, isBuiltinTool, type StopCode } from "@colloquy/schema";
import type { ProjectTeam } from "../team/project-team.ts";

/** The author of these resumes in the log. */
const BY = "colloquy";

/** Resumes dialogs whose stop reason is gone: the agent, tool, model or key is there again. Looks only at trees with a fault question. */
export async function resumeUnblocked({ deps, trees }: ProjectContext, commands: Commands, team: ProjectTeam): Promise<void> {
  const { store, report } = deps;
  for (const rootId of store.faulted()) {
    try {
      const unblocked = (await trees.look(rootId, ({ state }) => unblockedDialogs(state, team))) ?? [];
      for (const dialog of unblocked) await commands.give(rootId, { type: "resume", dialog, by: BY });
    } catch (error) {
      report(error, `dialog ${rootId}`);
    }
  }
}

function unblockedDialogs(tree: Tree, team: ProjectTeam): readonly DialogId[] {
  return [...tree.dialogs.values()].flatMap(({ id, agents, stopped }) =>
    stopped && isUnblocked(tree, { dialog: id, agents, code: stopped.reason.code }, team) ? [id] : [],
  );
}

interface StoppedDialog {
  readonly dialog: DialogId;
  readonly agents: readonly string[];
  readonly code: StopCode;
}

function isUnblocked(tree: Tree, { dialog, agents, code }: StoppedDialog, team: ProjectTeam): boolean {
  if (!agents.every((agent) => team.member(agent))) return false;
  if (code === "no_key" || code === "unknown_model") return agents.every((agent) => hasModel(team, agent));
  return (code === "agent_gone" || code === "tool_gone") && hasTools(tree, dialog, team);
}

function hasTools(tree: Tree, dialog: DialogId, team: ProjectTeam): boolean {
  const runs = [...tree.runs.values()].filter((run) => run.dialog === dialog);
  return runs.every(({ agent, turns }) =>
    turns.every(({ calls }) => calls.every(({ tool }) => isBuiltinTool(tool) || team.member(agent)?.tools.has(tool))),
  );
}

/** Finding a model checks its name and its key, and sends nothing. */
function hasModel(team: ProjectTeam, agent: string): boolean {
  return team.modelsOf(agent).some((model) => {
    try {
      model();
      return true;
    } catch (error) {
      if (error instanceof Fault) return false; // still missing: the open question says what to do
      throw error;
    }
  });
}
