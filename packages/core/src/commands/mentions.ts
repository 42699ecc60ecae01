import type { AgentId } from "@colloquy/schema";
import type { Roster } from "../prompt/rules.ts";

/** The agents a message addresses, in order, or the first name that nobody in the team has. */
export type Mentioned = { readonly agents: readonly AgentId[] | undefined } | { readonly unknown: string };

/** At most this many agents are addressed; further mentions are text. */
const MAX_MENTIONS = 500;

const SIGN = /^[@＠]/;
const BETWEEN = /^[\s,，、;；:：]+/;
const WORD = /^[^\s,，、;；:：.。!！?？@＠]+/;

/** The agents named by the list; without a list, by `@agent` at the start of the text. Ids and names in either language count. */
export function mentionsOf(content: string, listed: readonly string[] | undefined, team: Roster): Mentioned {
  return listed ? fromList(listed, team) : fromText(content.trimStart(), team);
}

function fromList(listed: readonly string[], team: Roster): Mentioned {
  const agents: AgentId[] = [];
  for (const name of listed) {
    const agent = findAgent(name, team);
    if (agent === undefined) return { unknown: name };
    if (!agents.includes(agent)) agents.push(agent);
  }
  return { agents };
}

/** Finds an agent by id or name, ignoring case and a leading @. */
export function findAgent(named: string, team: Roster): AgentId | undefined {
  const name = named.trim().replace(SIGN, "");
  const ids = team.ids();
  return ids.find((id) => id === name) ?? ids.find((id) => isSame(id, name)) ?? ids.find((id) => isSame(team.nameOf(id), name));
}

function fromText(text: string, team: Roster): Mentioned {
  const agents: AgentId[] = [];
  let rest = text;
  for (let nth = 0; nth < MAX_MENTIONS && SIGN.test(rest); nth += 1) {
    const behind = rest.slice(1);
    const word = WORD.exec(behind)?.[0];
    if (word === undefined) break;
    const found = longestName(behind, team);
    if (!found) return { unknown: word };
    if (!agents.includes(found.agent)) agents.push(found.agent);
    rest = behind.slice(found.length).replace(BETWEEN, "");
  }
  return { agents: agents.length > 0 ? agents : undefined };
}

/** Names may contain spaces, and one name may be a prefix of another. */
function longestName(text: string, team: Roster): { readonly agent: AgentId; readonly length: number } | undefined {
  const names = team.ids().flatMap((agent) => [agent as string, team.nameOf(agent)].map((name) => ({ agent, name })));
  return names
    .filter(({ name }) => isSame(text.slice(0, name.length), name) && endsThere(text, name))
    .map(({ agent, name }) => ({ agent, length: name.length }))
    .toSorted((a, b) => b.length - a.length)[0];
}

/** Chinese has no spaces: any text may follow a Chinese name, and a Chinese character ends a Latin name. */
const endsThere = (text: string, name: string): boolean =>
  !/[\p{L}\p{N}_-]$/u.test(name) || isHan(name.at(-1)) || !isLatin(text.charAt(name.length));

const isHan = (letter: string | undefined): boolean => letter !== undefined && /\p{Script=Han}/u.test(letter);
const isLatin = (letter: string): boolean => /[\p{L}\p{N}_-]/u.test(letter) && !isHan(letter);

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
