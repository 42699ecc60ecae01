/** An agent as far as the team as a whole is concerned. */
export interface TeamEntry {
  readonly id: string;
  readonly name?: string | undefined;
  readonly default?: boolean | undefined;
  /** Where it is defined: a file, or "code". */
  readonly place: string;
}

/** Names that the text syntax and the prompts use for somebody else. */
const RESERVED: readonly string[] = ["human", "self", "tellasker"];

/** Conflicts between the agents of a team, each with the names and places of those concerned. */
export function teamProblems(team: readonly TeamEntry[]): readonly string[] {
  const reserved = team.flatMap(({ id, name = id, place }) => {
    const taken = [id, name].find((one) => RESERVED.includes(one.toLowerCase()));
    return taken === undefined ? [] : [`${place}: no agent can be called "${taken}". Reserved: ${RESERVED.join(", ")}.`];
  });
  return [...reserved, ...sharedNames(team), ...defaults(team)];
}

/** People and agents address each other by name as well as by id, so both must lead to one agent. */
function sharedNames(team: readonly TeamEntry[]): readonly string[] {
  const owners = new Map<string, TeamEntry>();
  return team.flatMap((agent) => {
    const keys = new Set([agent.id.toLowerCase(), (agent.name ?? agent.id).toLowerCase()]);
    const other = [...keys].flatMap((key) => owners.get(key) ?? [])[0];
    for (const key of keys) owners.set(key, other ?? agent);
    if (!other) return [];
    return [
      `${agent.place}: the agents "${other.id}" and "${agent.id}" (${other.place}) have the same name. Give one of them another name.`,
    ];
  });
}

function defaults(team: readonly TeamEntry[]): readonly string[] {
  const all = team.filter((agent) => agent.default);
  if (all.length < 2) return [];
  const places = [...new Set(all.map(({ place }) => place))].join(", ");
  return [`${places}: only one agent can be the default, not ${all.map(({ id }) => id).join(" and ")}.`];
}
