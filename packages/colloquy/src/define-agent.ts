import { AgentId } from "@colloquy/schema";
import type { Tool } from "@colloquy/runtime";

/** An agent in code. Only its id is ever written to the log. */
export interface DefinedAgent {
  readonly id: string;
  readonly name?: string;
  readonly role: string;
  readonly model?: string;
  readonly tools?: readonly Tool[];
  readonly default?: boolean;
  /** Samples of fresh-boots reasoning; 0 disables it. */
  readonly fbrEffort?: number;
  /** How it asks: by calling tools (default), or in its text. */
  readonly asks?: "tools" | "text";
}

export function defineAgent(agent: DefinedAgent): DefinedAgent {
  AgentId.parse(agent.id);
  return agent;
}
