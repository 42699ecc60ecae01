import type { Phase } from "@colloquy/schema";
import type { Rules } from "../prompt/rules.ts";

const NEXT: Readonly<Record<Phase, readonly Phase[]>> = {
  chat: ["brainstorm", "plan", "execute"],
  brainstorm: ["chat", "plan", "execute"],
  plan: ["execute", "chat"],
  execute: ["verification", "chat"],
  verification: ["chores", "execute", "chat"],
  chores: ["reflection"],
  reflection: ["chat"],
};

/** Why a transition is not allowed, and which ones are. Setting the same phase again hands the work over, which needs a summary. */
export function phaseRefused(from: Phase, to: Phase, summary: string | undefined, { texts }: Pick<Rules, "texts">): string | undefined {
  if (from === to) return summary?.trim() ? undefined : texts.handOffNeedsSummary(to);
  return NEXT[from].includes(to) ? undefined : texts.phaseNotAllowed(from, to, NEXT[from]);
}

/** The texts given with a change of phase. */
export const wordsOf = (why: string | undefined, summary: string | undefined) => ({
  ...(why?.trim() && { why }),
  ...(summary?.trim() && { summary }),
});
