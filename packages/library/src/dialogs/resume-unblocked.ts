import type { Tree } from "@colloquy/core";
import type { Engine } from "@colloquy/runtime";
import { type DialogId, Fault, isBuiltinTool, type StopCode } from "@colloquy/schema";
import type { ProjectTeam } from "../team/project-team.ts";

/** The author of these resumes in the log. */
const BY = "colloquy";

/** Resumes dialogs whose stop reason is gone: the agent, tool, model or key is there again. Looks only at trees with a fault question. */
export async function resumeUnblocked(engine: Engine, team: ProjectTeam): Promise<void> {
  const { store, report } = engine.deps;
  for (const rootId of store.faulted()) {
    try {
      const unblocked = (await engine.look(rootId, ({ state }) => unblockedDialogs(state, team))) ?? [];
      for (const dialog of unblocked) await engine.command(rootId, { type: "resume", dialog, by: BY });
    } catch (error) {
      report(error, `dialog ${rootId}`);
    }
  }
}

function unblockedDialogs(tree: Tree, team: ProjectTeam): readonly DialogId[] {
  return [...tree.dialogs.values()].flatMap(({ id, agents, stopped }) =>
    stopped && isUnblocked(stopped.reason.code, tree, id, agents, team) ? [id] : [],
  );
}

function isUnblocked(code: StopCode, tree: Tree, dialog: DialogId, agents: readonly string[], team: ProjectTeam): boolean {
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
  try {
    team.findModel(team.modelOf(agent));
    return true;
  } catch (error) {
    if (error instanceof Fault) return false; // still missing: the open question says what to do
    throw error;
  }
}
