import type { AgentId } from "@colloquy/schema";
import { refuse } from "../state/decision.ts";
import type { Rules } from "../prompt/rules.ts";

const ASCII_TO_A_TOKEN = 4;

/** At most this many characters of a text are sampled, evenly spaced. */
export const MAX_SAMPLED = 20_000;

/** About four characters per token in Latin script, about one in others such as Chinese. */
export function tokensOf(text: string): number {
  const stride = Math.max(1, Math.ceil(text.length / MAX_SAMPLED));
  let [others, looked] = [0, 0];
  for (let at = 0; at < text.length; at += stride, looked++) if (text.charCodeAt(at) > 0x24f) others += 1;
  if (stride > 1) others = Math.round((others / looked) * text.length);
  return Math.ceil((text.length - others) / ASCII_TO_A_TOKEN) + others;
}

/** The share of a context that a text repeated in every request may take: a reminder, or a section of the Taskdoc. */
const LASTING_SHARE = 1 / 4;

/** Tells the sender that a text exceeds what the agent can read at once, with both sizes. `lasting`: the text would be in every request. */
export function tooLarge(
  content: string,
  agent: AgentId,
  { team, texts }: Pick<Rules, "team" | "texts">,
  lasting = false,
): string | undefined {
  const room = team.roomOf(agent);
  if (room === undefined || content.length <= room * (lasting ? LASTING_SHARE : 1)) return undefined;
  const tokens = tokensOf(content);
  const allowed = Math.floor(room * (lasting ? LASTING_SHARE : 1));
  if (tokens <= allowed) return undefined;
  return lasting ? texts.tooLargeToKeep(tokens, team.nameOf(agent), allowed) : texts.tooLarge(tokens, team.nameOf(agent), allowed);
}

export function refuseTooLarge(content: string | undefined, agent: AgentId, rules: Pick<Rules, "team" | "texts">, lasting = false) {
  const why = content === undefined ? undefined : tooLarge(content, agent, rules, lasting);
  return why === undefined ? undefined : refuse("too_large", why);
}
