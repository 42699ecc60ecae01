import { approvedTool, refuse } from "@colloquy/core";
import type { Command, RootId } from "@colloquy/schema";
import type { Outcome } from "../engine/commit.ts";
import type { Engine } from "../engine/engine.ts";

/** An input that a person has changed is tried on its tool before it is approved: once it is, nobody is there to mend it. */
export async function refuseUnfit(engine: Engine, rootId: RootId, command: Command): Promise<Extract<Outcome, { ok: false }> | undefined> {
  if (command.type !== "approve" || command.arguments === undefined) return undefined;
  const asked = await engine.look(rootId, ({ state }) => {
    const question = state.questions.get(command.question);
    return question && { agent: question.agent, name: approvedTool(state, question) };
  });
  if (asked?.name === undefined) return undefined;
  const tool = engine.deps.team().member(asked.agent)?.tools.get(asked.name);
  const parsed = await tool?.parse(command.arguments);
  return parsed && !parsed.ok ? refuse("bad_request", engine.rulebook.texts().unfitInput(asked.name, parsed.problems)) : undefined;
}
