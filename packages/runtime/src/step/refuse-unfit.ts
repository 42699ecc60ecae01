import { approvedTool, refuse } from "@colloquy/core";
import type { Command, RootId } from "@colloquy/schema";
import type { Outcome } from "../engine/commit.ts";
import type { ProjectContext } from "../engine/project-context.ts";

/** Validates a person's changed input against its tool before the approval: afterwards nobody could fix it. */
export async function refuseUnfit(
  { deps, rulebook, trees }: ProjectContext,
  rootId: RootId,
  command: Command,
): Promise<Extract<Outcome, { ok: false }> | undefined> {
  if (command.type !== "approve" || command.arguments === undefined) return undefined;
  const asked = await trees.look(rootId, ({ state }) => {
    const question = state.questions.get(command.question);
    return question && { agent: question.agent, name: approvedTool(state, question) };
  });
  if (asked?.name === undefined) return undefined;
  const tool = deps.team().member(asked.agent)?.tools.get(asked.name);
  const parsed = await tool?.parse(command.arguments);
  return parsed && !parsed.ok ? refuse("bad_request", rulebook.texts().unfitInput(asked.name, parsed.problems)) : undefined;
}
