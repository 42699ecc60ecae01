import type { Price } from "@colloquy/models";
import { Fault } from "@colloquy/schema";
import type { ProjectTeam } from "../team/project-team.ts";

/** Reports a cost limit that cannot be enforced. */
export function costNotices(team: ProjectTeam): readonly string[] {
  const limit = team.limits.costPerTree !== undefined ? "costPerTree" : team.limits.costPerDay !== undefined ? "costPerDay" : undefined;
  if (limit === undefined) return [];
  const used = team.members().flatMap((member) => modelOf(team, member.id) ?? []);
  const unpriced = new Set(used.filter(({ price }) => price === undefined).map(({ name }) => name.slice(name.indexOf("/") + 1)));
  return [...unpriced].map(
    (id) =>
      `limits.${limit} cannot be kept: no price for "${id}". Add price: {input: …, output: …} per million tokens, or set tokensPerTree. ` +
      'Until then costs show as "–".',
  );
}

/** A missing model is reported when it is needed, not here. */
function modelOf(team: ProjectTeam, agent: string): { readonly name: string; readonly price: Price | undefined } | undefined {
  try {
    return team.findModel(team.modelOf(agent));
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
