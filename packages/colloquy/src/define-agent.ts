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
}

export function defineAgent(agent: DefinedAgent): DefinedAgent {
  AgentId.parse(agent.id);
  return agent;
}
