import type { ContextConfig } from "@colloquy/schema";
import type { Run } from "../state/tree.ts";

/** How full the context of a dialog's own agent is. Shown to people. */
export interface ContextGauge {
  /** Tokens in its last request; 0 if the course has just begun. */
  readonly tokens: number;
  /** The model's window. If it is unknown, no share can be given. */
  readonly window?: number;
  readonly share?: number;
  /** Shares of the window: at `soft` the agent is told to write down what matters, at `hard` a new course begins. */
  readonly soft: number;
  readonly hard: number;
}

export function contextGauge(run: Run | undefined, window: number | undefined, { soft, hard }: ContextConfig): ContextGauge {
  const tokens = run?.context ?? 0;
  return { tokens, ...(window !== undefined && { window, share: tokens / window }), soft, hard };
}
