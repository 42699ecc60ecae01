import type { Tree } from "@colloquy/core";
import type { Engine } from "@colloquy/runtime";
import { type DialogId, isHouseTool } from "@colloquy/schema";
import type { ProjectTeam } from "./project-team.ts";

/** Who resumes what stood still for want of an agent or a tool. */
const BY = "colloquy";

/** Dialogs that stand still because their agent or a tool was gone go on when it is there again. Only trees with such a question are looked at. */
export async function resumeWhatCameBack(engine: Engine, team: ProjectTeam): Promise<void> {
  const { store, report } = engine.deps;
  for (const rootId of store.faulted()) {
    try {
      const back = (await engine.look(rootId, ({ state }) => dialogsBack(state, team))) ?? [];
      for (const dialog of back) await engine.command(rootId, { type: "resume", dialog, by: BY });
    } catch (error) {
      report(error, `dialog ${rootId}`);
    }
  }
}

function dialogsBack(tree: Tree, team: ProjectTeam): readonly DialogId[] {
  return [...tree.dialogs.values()].flatMap(({ id, agents, stopped }) => {
    const code = stopped?.reason.code;
    if (code !== "agent_gone" && code !== "tool_gone") return [];
    const calls = [...tree.runs.values()]
      .filter((run) => run.dialog === id)
      .flatMap(({ agent, turns }) => turns.map((turn) => ({ agent, turn })));
    const hasTools = calls.every(({ agent, turn }) =>
      turn.calls.every(({ tool }) => isHouseTool(tool) || team.member(agent)?.tools.has(tool)),
    );
    return agents.every((agent) => team.member(agent)) && hasTools ? [id] : [];
  });
}
