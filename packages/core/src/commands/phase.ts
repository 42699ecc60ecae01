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

/** Why a dialog may not go there from here, with where it may go. The same phase again is a hand-off, which needs words. */
export function phaseRefused(from: Phase, to: Phase, summary: string | undefined, { texts }: Pick<Rules, "texts">): string | undefined {
  if (from === to) return summary?.trim() ? undefined : texts.handOffNeedsSummary(to);
  return NEXT[from].includes(to) ? undefined : texts.phaseNotAllowed(from, to, NEXT[from]);
}

/** What is said with a phase, where anything is. */
export const wordsOf = (why: string | undefined, summary: string | undefined) => ({
  ...(why?.trim() && { why }),
  ...(summary?.trim() && { summary }),
});
