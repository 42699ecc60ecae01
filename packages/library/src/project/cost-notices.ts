import type { Model } from "@colloquy/models";
import { Fault } from "@colloquy/schema";
import type { ProjectTeam } from "../team/project-team.ts";

/** Reports a cost limit that cannot be enforced. */
export function costNotices(team: ProjectTeam): readonly string[] {
  const limit = team.limits.costPerTree !== undefined ? "costPerTree" : team.limits.costPerDay !== undefined ? "costPerDay" : undefined;
  if (limit === undefined) return [];
  const used = team.members().flatMap((member) => team.modelsOf(member.id).flatMap((model) => ifAvailable(model) ?? []));
  const unpriced = new Set(used.filter(({ price }) => price === undefined).map(({ name }) => name.slice(name.indexOf("/") + 1)));
  return [...unpriced].map(
    (id) =>
      `limits.${limit} cannot be kept: no price for "${id}". Add price: {input: …, output: …} per million tokens, or set tokensPerTree. ` +
      'Until then costs show as "–".',
  );
}

/** A missing model is reported when it is needed, not here. */
function ifAvailable(model: () => Model): Model | undefined {
  try {
    return model();
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
