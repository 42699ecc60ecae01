// The conventions for generative AI are in development and their package lists them as deprecated, so the names are kept here.
// https://github.com/open-telemetry/semantic-conventions-genai

export const GEN_AI = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cachedTokens: "gen_ai.usage.cache_read.input_tokens",
  conversation: "gen_ai.conversation.id",
  agentId: "gen_ai.agent.id",
  agentName: "gen_ai.agent.name",
  toolName: "gen_ai.tool.name",
  toolCall: "gen_ai.tool.call.id",
  toolType: "gen_ai.tool.type",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
} as const;

export const DELEGATION = {
  allComplete: "delegation.all_complete",
  pending: "delegation.pending_count",
  completed: "delegation.completed_count",
  eventId: "delegation.event_id",
} as const;

export const RAL = { status: "ral.status", pending: "ral.pending_delegations" } as const;

export type RalStatus = "executing" | "paused" | "done";
