import { type AgentView, tokensOf } from "@colloquy/core";
import type { Part, Usage } from "@colloquy/schema";

/** Fallback if the provider doesn't report usage. */
export function estimatedUsage(view: AgentView, system: readonly string[], said: readonly Part[]): Usage {
  const input = system.reduce((sum, text) => sum + tokensOf(text), view.tokens);
  return { input, output: tokensOf(JSON.stringify(said)), estimated: true };
}
