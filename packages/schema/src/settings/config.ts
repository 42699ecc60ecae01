import { z } from "zod";
import { AutonomyConfig, Permission } from "./autonomy.ts";
import { duration } from "./duration.ts";
import { AgentId } from "../ids.ts";
import { address, McpConfig, values } from "./mcp-config.ts";
import { NostrAgentConfig, NostrConfig } from "./nostr-config.ts";
import { Role } from "./role.ts";
import { TaskKind } from "../task.ts";
import { RetentionConfig } from "./retention-config.ts";
import { TracingConfig } from "./tracing-config.ts";

/** The tool groups an agent may be given, besides MCP servers by name. */
export const TOOL_GROUPS = ["files", "shell", "tasks"] as const;

/** Keys of features that do not exist yet. They are refused, so that nobody relies on them. */
export const NOT_BUILT_YET = {
  top: ["notify"],
  agent: [],
} as const;

const PriceConfig = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cachedInput: z.number().nonnegative().optional(),
});

/** A model under a name of your choice. */
export const ModelConfig = z.strictObject({
  /** `npm:PACKAGE`: a provider of the AI SDK that is installed in the project's folder, or `npm:PACKAGE#createName`. */
  provider: z.union([
    z.enum(["openai", "anthropic", "openai-compatible", "scripted"]),
    z.templateLiteral(["npm:", z.string().regex(/^(?:@\w[\w.-]*\/)?\w[\w.-]*(?:#\w+)?$/)]),
  ]),
  id: z.string().min(1),
  baseURL: z.url().optional(),
  /** The environment variable that holds the key. The key itself is never written here. */
  apiKeyEnv: z.string().min(1).optional(),
  /** What an installed provider takes besides the key and the address, such as a region. */
  options: z.record(z.string(), z.unknown()).optional(),
  contextWindow: z.number().int().positive().optional(),
  price: PriceConfig.optional(),
});
export type ModelConfig = z.infer<typeof ModelConfig>;

/** The name of a model; or several, of which the first that works is used. */
const ModelNames = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);
export type ModelNames = z.infer<typeof ModelNames>;

/** An agent elsewhere, reached by A2A. */
const A2aConfig = z.union([
  address,
  z.strictObject({
    url: address,
    /** The environment variable with the token sent as `Authorization: Bearer`. */
    tokenEnv: z.string().min(1).optional(),
    headers: values.optional(),
  }),
]);
export type A2aConfig = z.infer<typeof A2aConfig>;

/** The short form is the address alone. */
export const a2aAddress = (given: A2aConfig): Exclude<A2aConfig, string> => (typeof given === "string" ? { url: given } : given);

export const AgentConfig = z.strictObject({
  name: z.string().min(1).optional(),
  role: z.string().min(1),
  model: ModelNames.optional(),
  tools: z.array(z.string()).optional(),
  default: z.boolean().optional(),
  /** Samples of fresh-boots reasoning; 0 disables it. */
  fbrEffort: z.number().int().min(0).max(9).optional(),
  /** The kinds of tasks it takes. */
  handles: z.array(TaskKind).optional(),
  /** How it asks: with tool calls, or with the text syntax for models that cannot call tools. */
  asks: z.enum(["tools", "text"]).optional(),
  /** A cheap model that replies to messages while the agent is busy. Without it, a fixed text is sent. */
  busyModel: z.string().min(1).optional(),
  /** It works elsewhere, at this address; then it has no model and no tools here. */
  a2a: A2aConfig.optional(),
  /** Its own key on Nostr. */
  nostr: NostrAgentConfig.optional(),
  /** `strict`: if its role, tools or model change while it waits, a person is asked before it continues. */
  pin: z.literal("strict").optional(),
});
export type AgentConfig = z.infer<typeof AgentConfig>;

export const LimitsConfig = z.strictObject({
  /** The maximum length of a chain of assignments. */
  depth: z.number().int().positive().default(8),
  /** Asks open at the same time in a tree. */
  openAsks: z.number().int().positive().default(32),
  stepsPerTurn: z.number().int().positive().default(200),
  tokensPerTree: z.number().int().positive().default(5_000_000),
  /** Counts only while a step is in flight. */
  wallTimePerTree: duration.prefault("4h"),
  /** In dollars; off unless set. */
  costPerTree: z.number().positive().optional(),
  /** For the whole project, per day in UTC; off unless set. */
  costPerDay: z.number().positive().optional(),
  /** Steps in flight at once, per provider. */
  concurrency: z.number().int().positive().default(16),
});

export type LimitsConfig = z.infer<typeof LimitsConfig>;

/** Shares of the model's window. */
export const ContextConfig = z.strictObject({
  /** From here on, the agent is told to write down what matters and clear its mind. */
  soft: z.number().gt(0).lt(1).default(0.6),
  /** Here the runtime starts a new course itself. */
  hard: z.number().gt(0).max(1).default(0.9),
});
export type ContextConfig = z.infer<typeof ContextConfig>;

/** A user with a token of their own. The token itself is never stored: `colloquy users add` prints it once. */
export const UserConfig = z.strictObject({
  role: Role,
  tokenHash: z.string().regex(/^sha256:[0-9a-f]{64}$/, "what `colloquy users add` wrote"),
});
export type UserConfig = z.infer<typeof UserConfig>;

export const ServerConfig = z.strictObject({
  host: z.string().min(1).default("127.0.0.1"),
  port: z.number().int().min(0).max(65_535).default(5740),
  /** Further origins from which pages may use it, such as a reverse proxy's: "https://agents.example.org". */
  origins: z.array(z.url()).default([]),
  /** Nodes of one place see the same working files; default: the machine and the folder. */
  place: z.string().min(1).max(200).optional(),
  /** Where other nodes reach this one: "http://10.0.0.5:5740". */
  url: z.url({ protocol: /^https?$/, error: "an address of this server such as http://10.0.0.5:5740" }).optional(),
});
export type ServerConfig = z.infer<typeof ServerConfig>;

export const Config = z.strictObject({
  language: z.enum(["en", "zh"]).default("en"),
  models: z.record(z.string(), ModelConfig).default({}),
  defaults: z
    .strictObject({
      model: ModelNames.optional(),
      /** Writes titles for new dialogs. Without it, the first line is the title. */
      titleModel: z.string().min(1).optional(),
    })
    .default({}),
  agents: z.record(AgentId, AgentConfig).default({}),
  /** How far agents may go without asking. `hilConfig` is its older name. */
  autonomy: AutonomyConfig.optional(),
  hilConfig: AutonomyConfig.optional(),
  /** By `tool` or `tool(pattern)`. They apply in addition to the classes, and the stricter one wins. */
  permissions: z
    .record(z.string().regex(/^[^()]+(?:\(.*\))?$/s, 'a tool, or a tool with a pattern such as "run_command(git push*)"'), Permission)
    .default({}),
  /** Files whose change is an architecture decision. */
  architecture: z.array(z.string().min(1)).default([]),
  /** How many tasks are worked on at once, not counting those that wait for people; 0 turns it off. */
  orchestrator: z.strictObject({ concurrency: z.number().int().min(0).max(100).default(2) }).prefault({}),
  limits: LimitsConfig.prefault({}),
  context: ContextConfig.prefault({}),
  shell: z
    .strictObject({
      /** Gives commands a network of their own, from which this machine's 127.0.0.1 cannot be reached. */
      network: z.boolean().default(false),
      /** With `network`: the machine's own network instead. */
      hostNetwork: z.boolean().default(false),
    })
    .prefault({}),
  /** Where the log is kept: a database, with variables of the environment as `${NAME}`; default: the folder. */
  store: z
    .string()
    .regex(/^(?:file:|postgres(?:ql)?:\/\/\S+)$/, "postgres://user@host/database?project=NAME, or file: for the folder")
    .optional(),
  server: ServerConfig.prefault({}),
  users: z.record(z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u, "a name without spaces"), UserConfig).default({}),
  mcp: McpConfig.prefault({}),
  a2a: z
    .strictObject({
      /** The origins at which programs may be told of their tasks: "https://agents.example.org". Others are refused. */
      push: z.array(z.url({ protocol: /^https?$/, error: "an origin such as https://agents.example.org" })).default([]),
    })
    .prefault({}),
  tracing: TracingConfig.optional(),
  nostr: NostrConfig.optional(),
  retention: RetentionConfig.optional(),
});
export type Config = z.infer<typeof Config>;
/** The settings as people write them: everything with a default may be left out. */
export type ConfigInput = z.input<typeof Config>;
