import type { ContextConfig } from "@colloquy/schema";
import type { Run } from "../state/tree.ts";

/** How full the context of a dialog's own agent is, for people to see. */
export interface ContextGauge {
  /** Tokens of its last request; 0 in a course that has just begun. */
  readonly tokens: number;
  /** The model's window; absent if unknown, and then there is no share. */
  readonly window?: number;
  readonly share?: number;
  /** Shares of the window at which the agent is told to write down what matters, and at which a new course begins. */
  readonly soft: number;
  readonly hard: number;
}

export function contextGauge(run: Run | undefined, window: number | undefined, { soft, hard }: ContextConfig): ContextGauge {
  const tokens = run?.context ?? 0;
  return { tokens, ...(window !== undefined && { window, share: tokens / window }), soft, hard };
}
