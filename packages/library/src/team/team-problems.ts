import { OUTSIDE } from "@colloquy/core";

/** An agent as far as the team as a whole is concerned. */
export interface TeamEntry {
  readonly id: string;
  readonly name?: string | undefined;
  readonly default?: boolean | undefined;
  /** Where it is defined: a file, or "code". */
  readonly place: string;
}

/** Reserved names: they mean somebody else in the text syntax, in prompts, or in the questions of outside programs. */
const RESERVED: readonly string[] = ["human", "self", "tellasker", OUTSIDE];

/** Messages sent with the server's own token are signed `owner`, and notes to agents `[System]`. */
const SIGNATURES: readonly string[] = ["owner", "system"];

/** Users whose name could be mistaken for somebody else's. `where`: the line of a user's settings. */
export function userProblems(
  users: readonly string[],
  agents: Iterable<readonly [id: string, agent: { readonly name?: string | undefined }]>,
  where: (user: string) => string,
): readonly string[] {
  const ofAgents = new Set([...agents].flatMap(([id, { name = id }]) => [nameKey(id), nameKey(name)]));
  return users.flatMap((user) => {
    const isSignature = SIGNATURES.includes(nameKey(user));
    if (!isSignature && !ofAgents.has(nameKey(user))) return [];
    const why = isSignature ? `Reserved: ${SIGNATURES.join(", ")}.` : "An agent has this name.";
    return [`${where(user)}: no user can be called "${user}". ${why} Choose another name.`];
  });
}

const nameKey = (name: string): string => name.normalize("NFKC").toLowerCase();

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
