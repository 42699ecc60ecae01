import type { AgentId } from "@colloquy/schema";
import { refuse } from "../state/decision.ts";
import type { Rules } from "../prompt/rules.ts";

const ASCII_TO_A_TOKEN = 4;

/** Of longer texts this many characters are sampled, at even distances. */
export const MAX_SAMPLED = 20_000;

/** About four characters per token; about one in scripts other than Latin, such as Chinese. */
export function tokensOf(text: string): number {
  const stride = Math.max(1, Math.ceil(text.length / MAX_SAMPLED));
  let [others, looked] = [0, 0];
  for (let at = 0; at < text.length; at += stride, looked++) if (text.charCodeAt(at) > 0x24f) others += 1;
  if (stride > 1) others = Math.round((others / looked) * text.length);
  return Math.ceil((text.length - others) / ASCII_TO_A_TOKEN) + others;
}

/** Text in every request, a reminder or a section of the Taskdoc, may take this share of what an agent can read at once. */
const LASTING_SHARE = 1 / 4;

/** More than an agent can read at once: what the sender is told, with both sizes. `lasting`: it would be in every request. */
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
