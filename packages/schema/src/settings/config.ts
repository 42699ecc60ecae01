import { z } from "zod";
import { AutonomyConfig, Permission } from "./autonomy.ts";
import { duration } from "./duration.ts";
import { AgentId } from "../ids.ts";
import { McpConfig } from "./mcp-config.ts";
import { Role } from "./role.ts";
import { TaskKind } from "../task.ts";

/** The tool groups that an agent may be given, beside the MCP servers by their names. */
export const TOOL_GROUPS = ["files", "shell", "tasks"] as const;

/** Keys that belong to parts which are not built yet: refused as such, so that nobody relies on them in vain. */
export const NOT_BUILT_YET = {
  top: ["notify", "nostr"],
  agent: [],
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
  /** Samples of fresh-boots reasoning; 0 disables it. */
  fbrEffort: z.number().int().min(0).max(9).optional(),
  /** The kinds of task that it takes. */
  handles: z.array(TaskKind).optional(),
  /** How it asks: by calling tools, or by the text syntax for models that cannot. */
  asks: z.enum(["tools", "text"]).optional(),
  /** A cheap model that replies to messages while the agent is busy; absent: a fixed text is sent. */
  busyModel: z.string().min(1).optional(),
});
export type AgentConfig = z.infer<typeof AgentConfig>;

export const LimitsConfig = z.strictObject({
  /** How long a chain of assignments may get. */
  depth: z.number().int().positive().default(8),
  /** Asks that are open at once in a tree. */
  openAsks: z.number().int().positive().default(32),
  stepsPerTurn: z.number().int().positive().default(200),
  tokensPerTree: z.number().int().positive().default(5_000_000),
  /** Only while a step is in flight. */
  wallTimePerTree: duration.prefault("4h"),
  /** In dollars; off unless set. */
  costPerTree: z.number().positive().optional(),
  /** Of the whole project, by UTC's day; off unless set. */
  costPerDay: z.number().positive().optional(),
  /** Steps in flight at once, per provider. */
  concurrency: z.number().int().positive().default(16),
});

export type LimitsConfig = z.infer<typeof LimitsConfig>;

/** Shares of the model's window. */
export const ContextConfig = z.strictObject({
  /** From here on the agent is told to write down what matters and clear its mind. */
  soft: z.number().gt(0).lt(1).default(0.6),
  /** Here the runtime starts a new course itself. */
  hard: z.number().gt(0).max(1).default(0.9),
});
export type ContextConfig = z.infer<typeof ContextConfig>;

/** Who comes in with a token of their own. The token itself is never written down: `colloquy users add` prints it once. */
export const UserConfig = z.strictObject({
  role: Role,
  tokenHash: z.string().regex(/^sha256:[0-9a-f]{64}$/, "what `colloquy users add` wrote"),
});
export type UserConfig = z.infer<typeof UserConfig>;

export const ServerConfig = z.strictObject({
  host: z.string().min(1).default("127.0.0.1"),
  port: z.number().int().min(0).max(65_535).default(5740),
  /** Other addresses under which pages may use it, as a reverse proxy has them: "https://agents.example.org". */
  origins: z.array(z.url()).default([]),
});
export type ServerConfig = z.infer<typeof ServerConfig>;

export const Config = z.strictObject({
  language: z.enum(["en", "zh"]).default("en"),
  models: z.record(z.string(), ModelConfig).default({}),
  defaults: z
    .strictObject({
      model: z.string().min(1).optional(),
      /** Gives new dialogs their titles; absent: their first line is their title. */
      titleModel: z.string().min(1).optional(),
    })
    .default({}),
  agents: z.record(AgentId, AgentConfig).default({}),
  /** How far agents go by themselves; `hilConfig` is the same under its older name. */
  autonomy: AutonomyConfig.optional(),
  hilConfig: AutonomyConfig.optional(),
  /** By `tool` or `tool(pattern)`. They stand beside the classes, and the stricter wins. */
  permissions: z
    .record(z.string().regex(/^[^()]+(?:\(.*\))?$/s, 'a tool, or a tool with a pattern such as "run_command(git push*)"'), Permission)
    .default({}),
  /** Files whose change is an architecture decision. */
  architecture: z.array(z.string().min(1)).default([]),
  /** How many tasks are worked on at once, apart from those that wait for people; 0 switches it off. */
  orchestrator: z.strictObject({ concurrency: z.number().int().min(0).max(100).default(2) }).prefault({}),
  limits: LimitsConfig.prefault({}),
  context: ContextConfig.prefault({}),
  shell: z
    .strictObject({
      /** Whether commands have a network: one of their own, from which this machine's 127.0.0.1 cannot be reached. */
      network: z.boolean().default(false),
      /** With `network`: the machine's own network instead. */
      hostNetwork: z.boolean().default(false),
    })
    .prefault({}),
  server: ServerConfig.prefault({}),
  users: z.record(z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u, "a name without spaces"), UserConfig).default({}),
  mcp: McpConfig.prefault({}),
});
export type Config = z.infer<typeof Config>;
/** The same as people write it: what is left out has its default. */
export type ConfigInput = z.input<typeof Config>;
