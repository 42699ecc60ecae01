import { z } from "zod";
import { AgentId } from "./ids.ts";

/** The tool groups that an agent may be given; more come with MCP servers. */
export const TOOL_GROUPS = ["files"] as const;

/** Keys that belong to parts which are not built yet: refused as such, so that nobody relies on them in vain. */
export const NOT_BUILT_YET = {
  top: ["autonomy", "hilConfig", "permissions", "architecture", "context", "orchestrator", "shell", "mcp", "server", "users", "notify", "nostr"],
  limits: ["depth", "openAsks", "costPerDay", "wallTimePerTree"],
  agent: ["fbrEffort", "asks", "handles", "busyModel"],
} as const;

export const PriceConfig = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cachedInput: z.number().nonnegative().optional(),
});

/** A model under a name of one's own. */
export const ModelConfig = z.strictObject({
  provider: z.enum(["openai", "anthropic", "openai-compatible", "scripted"]),
  id: z.string().min(1),
  baseURL: z.url().optional(),
  /** The environment variable that holds the key. The key itself is never written here. */
  apiKeyEnv: z.string().min(1).optional(),
  contextWindow: z.number().int().positive().optional(),
  price: PriceConfig.optional(),
});
export type ModelConfig = z.infer<typeof ModelConfig>;

export const AgentConfig = z.strictObject({
  name: z.string().min(1).optional(),
  role: z.string().min(1),
  model: z.string().min(1).optional(),
  tools: z.array(z.string()).optional(),
  default: z.boolean().optional(),
});
export type AgentConfig = z.infer<typeof AgentConfig>;

export const LimitsConfig = z.strictObject({
  stepsPerTurn: z.number().int().positive().default(200),
  tokensPerTree: z.number().int().positive().default(5_000_000),
  /** In dollars; off unless set. */
  costPerTree: z.number().positive().optional(),
  /** Steps in flight at once, per provider. */
  concurrency: z.number().int().positive().default(16),
});

export type LimitsConfig = z.infer<typeof LimitsConfig>;

export const Config = z.strictObject({
  language: z.enum(["en", "zh"]).default("en"),
  models: z.record(z.string(), ModelConfig).default({}),
  defaults: z.strictObject({ model: z.string().min(1).optional() }).default({}),
  agents: z.record(AgentId, AgentConfig).default({}),
  limits: LimitsConfig.prefault({}),
});
export type Config = z.infer<typeof Config>;
