import { decideDefinition, hash, newlyChanged, type Turn } from "@colloquy/core";
import type { ToolOffer } from "@colloquy/models";
import type { Definition } from "@colloquy/schema";
import type { RunContext } from "../engine/run-context.ts";
import type { TeamMember } from "../team/team.ts";

/** A tool's schema is hashed once: servers have large ones. */
const known = new WeakMap<ToolOffer, string>();

function schemaHash(offer: ToolOffer): string {
  const before = known.get(offer);
  if (before !== undefined) return before;
  const made = hash(`${offer.name} ${offer.description} ${JSON.stringify(offer.input)}`);
  known.set(offer, made);
  return made;
}

/** Fingerprints of what an agent is defined as; undefined while a server of its tools is away, because nobody knows then. */
export function definitionOf(member: TeamMember): Definition | undefined {
  if ((member.missing?.() ?? []).length > 0) return undefined;
  const offers = [...member.tools.values()].map(({ offer }) => offer).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return {
    role: hash(member.role),
    tools: hash(offers.map(({ name }) => name).join(" ")),
    schemas: hash(offers.map(schemaHash).join(" ")),
    model: hash((member.models ?? []).join(" ")),
  };
}

/** The definition that the turn would continue under, if people do not know yet that it has changed. */
export function changedDefinition(member: TeamMember, turn: Turn): Definition | undefined {
  const definition = definitionOf(member);
  return newlyChanged(turn, definition).length > 0 ? definition : undefined;
}

/** Records that the turn continues under another definition; if the agent is pinned, it is stopped and a person asked. */
export async function tellChange(context: RunContext, { pin }: TeamMember, turn: Turn, definition: Definition): Promise<void> {
  const { ref, rulebook } = context;
  const at = { dialog: ref.dialog, agent: ref.agent, turn: turn.id };
  const changed = { definition, isStrict: pin === "strict", question: context.newId() };
  await context.record((tree) => decideDefinition(tree, at, changed, rulebook.rules()));
}
