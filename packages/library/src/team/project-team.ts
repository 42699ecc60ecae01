import { secretsIn } from "@colloquy/core";
import type { McpServers, ServerStatus } from "@colloquy/mcp";
import { type AiModel, type FindModel, givenModel, type Model, modelFinder, packageOf } from "@colloquy/models";
import {
  commandNetwork,
  type CommandNetwork,
  installedPackages,
  jsonSchemaOf,
  ModelChoice,
  modelRunner,
  type Runner,
  type Team,
  type TeamMember,
  type Tool,
  toolGroups,
} from "@colloquy/runtime";
import {
  type AgentConfig,
  AutonomyConfig,
  ContextConfig,
  Fault,
  isBuiltinTool,
  LimitsConfig,
  type NostrConfig,
  Refused,
  secretVariables,
  ServerConfig,
  type UserConfig,
} from "@colloquy/schema";
import { join } from "node:path";
import { checkAgent } from "./check-agent.ts";
import { type DefinedAgent, type Models, roleReader } from "./define-agent.ts";
import { MembersElsewhere } from "./elsewhere.ts";
import { environmentOf, type Environment } from "../open/environment.ts";
import { CONFIG_FILE } from "../open/find-project.ts";
import { type NostrKeys, nostrKeys, nostrKeysFile, nostrVariables } from "../open/nostr-keys.ts";
import { reachHash, reachOf } from "../open/folder-reach.ts";
import { CODE, readSettings, type Settings, settingsStamp, unknownTools } from "./settings.ts";
import { teamProblems } from "./team-problems.ts";

const DEFAULT_LIMITS = LimitsConfig.parse({});
const DEFAULT_AUTONOMY = AutonomyConfig.parse({});
const DEFAULT_CONTEXT = ContextConfig.parse({});
const DEFAULT_SERVER = ServerConfig.parse({});

const networkOf = (settings: Settings | undefined): CommandNetwork => (settings ? commandNetwork(settings.config.shell) : "none");

/** Decides whether settings may be in force. */
export interface TrustGate {
  /** `hash` is that of `reachHash`: of what the settings would run and send. Not asked about settings that do neither. */
  admits(hash: string): boolean;
  /** Changes when another answer is possible. */
  stamp(): string;
  /** The command with which a person approves. */
  readonly howTo: string;
}

export interface TeamSources {
  readonly dir: string;
  /** Agents in code, beside those in files. */
  readonly agents: readonly DefinedAgent[];
  /** Tools in code that agents name as `code:name`. */
  readonly tools?: readonly Tool[];
  /** The model of agents that name none; before `defaults.model`. */
  readonly model: Models | undefined;
  /** The model that titles dialogs; before `defaults.titleModel`. */
  readonly titleModel?: string | AiModel | undefined;
  readonly env: Environment;
  /** A model by name, instead of the configured ones. */
  readonly findModel: FindModel | undefined;
  /** Settings in code, instead of a file. */
  readonly settings?: (() => Settings) | undefined;
  /** This process drives agents: a model that cannot be found is refused at once. */
  readonly needsModels?: boolean | undefined;
  readonly trust?: TrustGate | undefined;
  readonly now: () => number;
  readonly report: (message: string) => void;
}

type Groups = Readonly<Record<string, readonly Tool[]>>;

/** An agent's own tools, and the names in its settings, from which MCP servers take theirs. */
interface AgentTools {
  readonly tools: readonly Tool[];
  readonly names: readonly string[];
}

/** The team by its current files. If a file becomes invalid, that is reported and the last valid version stays in force. */
export class ProjectTeam implements Team {
  #sources: TeamSources;
  readonly #hasFiles: boolean;
  #stamp = "";
  #settings: Settings | undefined;
  #members = new Map<string, TeamMember>();
  #list: readonly TeamMember[] | undefined;
  #findModel: FindModel;
  #secrets: readonly string[] = [];
  /** Set once the settings name a server. */
  #servers: McpServers | undefined;
  readonly #elsewhere = new MembersElsewhere();
  /** Called when changed settings ask for retention. */
  onRetention: () => void = () => undefined;
  /** Called when changed settings with other limits are in force. */
  onLimits: () => void = () => undefined;

  constructor(sources: TeamSources, hasFiles: boolean) {
    this.#sources = sources;
    this.#hasFiles = hasFiles;
    this.#findModel = sources.findModel ?? modelFinder({ config: { models: {} }, env: {}, scriptsDir: join(sources.dir, "scripts") });
  }

  get language(): Team["language"] {
    return this.#settings?.config.language ?? "en";
  }

  get limits(): Team["limits"] {
    return this.#settings?.config.limits ?? DEFAULT_LIMITS;
  }

  get retention(): Team["retention"] {
    return this.#settings?.config.retention;
  }

  get titleRunner(): Team["titleRunner"] {
    const model = this.#sources.titleModel ?? this.#settings?.config.defaults.titleModel;
    return model === undefined ? undefined : () => modelRunner(this.#modelFor(model));
  }

  get context(): Team["context"] {
    return this.#settings?.config.context ?? DEFAULT_CONTEXT;
  }

  get autonomy(): Team["autonomy"] {
    const { autonomy, hilConfig } = this.#settings?.config ?? {};
    return autonomy ?? hilConfig ?? DEFAULT_AUTONOMY;
  }

  /** How many tasks are worked on at once. */
  get taskLimit(): number {
    return this.#settings?.config.orchestrator.concurrency ?? 2;
  }

  get permissions(): Team["permissions"] {
    return this.#settings?.config.permissions ?? {};
  }

  get architecture(): Team["architecture"] {
    return this.#settings?.config.architecture ?? [];
  }

  /** Keys that are removed from tools' output. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  /** Users with a token of their own. */
  get users(): readonly (UserConfig & { readonly name: string })[] {
    return Object.entries(this.#settings?.config.users ?? {}).map(([name, user]) => ({ name, ...user }));
  }

  /** Where programs may be told of their tasks. */
  get pushOrigins(): readonly string[] {
    return (this.#settings?.config.a2a.push ?? []).map((url) => new URL(url).origin);
  }

  /** Where a server of this project listens. */
  get server(): ServerConfig {
    return this.#settings?.config.server ?? DEFAULT_SERVER;
  }

  get settings(): Settings | undefined {
    return this.#settings;
  }

  /** The keys that the settings name for Nostr; undefined if no relay is named. */
  get nostr(): { readonly config: NostrConfig; readonly keys: NostrKeys } | undefined {
    const config = this.#settings?.config.nostr;
    if (!this.#settings || !config || config.relays.length === 0) return undefined;
    const { dir, env } = this.#sources;
    return { config, keys: nostrKeys(this.#settings, dir, environmentOf(dir, env)) };
  }

  get findModel(): FindModel {
    return this.#findModel;
  }

  member(id: string): TeamMember | undefined {
    return this.#members.get(id);
  }

  members(): readonly TeamMember[] {
    return (this.#list ??= [...this.#members.values()]);
  }

  /** The agent that gets messages addressed to nobody. */
  defaultAgent(): string | undefined {
    const inFiles = [...(this.#settings?.agents ?? [])].find(([, agent]) => agent.default)?.[0];
    return inFiles ?? this.#sources.agents.find((agent) => agent.default)?.id ?? this.#members.keys().next().value;
  }

  /** Reads the files if they changed. Throws `Refused` the first time that they cannot be read. */
  async refresh(): Promise<void> {
    if (!this.#hasFiles) {
      const settings = this.#sources.settings?.();
      if (this.#stamp !== "" && settings === this.#settings) return;
      const before = this.#settings;
      this.#stamp = "code only";
      await this.#build(settings);
      this.#tellOfLimits(before);
      return;
    }
    const stamp = settingsStamp(this.#sources.dir) + (this.#sources.trust?.stamp() ?? "");
    if (stamp === this.#stamp) return;
    const before = this.#settings;
    try {
      await this.#build(this.#admitted(await readSettings(this.#sources.dir)));
      this.#tellOfLimits(before);
    } catch (error) {
      if (!before) throw error;
      if (this.#settings !== before) await this.#build(before);
      this.#sources.report(`The changed settings are not in force:\n${error instanceof Error ? error.message : String(error)}`);
    }
    this.#stamp = stamp;
  }

  #admitted(settings: Settings): Settings {
    const { trust, dir } = this.#sources;
    const reach = trust ? reachOf(settings, dir) : [];
    if (!trust || reach.length === 0 || trust.admits(reachHash(reach))) return settings;
    const list = reach.map(({ what, where }) => `  ${what} (${where})`).join("\n");
    throw new Refused({
      code: "bad_config",
      message: `This folder is not trusted yet. It:\n${list}\nIf you trust it: ${trust.howTo}`,
    });
  }

  #tellOfLimits(before: Settings | undefined): void {
    if (before && JSON.stringify(before.config.limits) !== JSON.stringify(this.limits)) this.onLimits();
    if (before && !before.config.retention && this.retention) this.onRetention();
  }

  async #build(settings: Settings | undefined): Promise<void> {
    const { dir } = this.#sources;
    if (!this.#servers && Object.keys(settings?.config.mcp.servers ?? {}).length > 0) {
      const { McpServers } = await import("@colloquy/mcp");
      this.#servers = new McpServers(this.#sources);
    }
    const env = environmentOf(dir, this.#sources.env);
    const secrets = await this.#elsewhere.update(settings?.agents.values() ?? [], env);
    this.#settings = settings;
    this.#secrets = secretsIn(settings?.config.nostr ? { ...nostrKeysFile(dir), ...env } : env, [
      ...Object.values(settings?.config.models ?? {}).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []),
      ...Object.values(settings?.config.mcp.servers ?? {}).flatMap(secretVariables),
      ...secrets,
      ...nostrVariables(settings),
    ]);
    this.#servers?.update(settings?.config.mcp.servers ?? {}, env, networkOf(settings));
    this.#findModel =
      this.#sources.findModel ?? modelFinder({ config: { models: settings?.config.models ?? {} }, env, scriptsDir: join(dir, "scripts") });
    this.#gather();
  }

  /** All agents of the team, by current settings and code. */
  #gather(): void {
    const settings = this.#settings;
    const { dir } = this.#sources;
    const providers = Object.values(settings?.config.models ?? {}).flatMap(({ provider }) => packageOf(provider) ?? []);
    this.#members = new Map();
    this.#list = undefined;
    const groups: Groups = {
      ...toolGroups({
        shell: { network: networkOf(settings), env: this.#sources.env },
        programs: () => [...(this.#servers?.programs() ?? []), ...installedPackages(dir, providers)],
        language: this.language,
      }),
      ...Object.fromEntries((this.#sources.tools ?? []).map((tool) => [CODE + tool.offer.name, [tool]])),
    };
    for (const [id, agent] of settings?.agents ?? []) {
      // Only the program that has an agent's tools in its code can drive it.
      if (agent.tools?.some((name) => name.startsWith(CODE) && !groups[name])) continue;
      this.#members.set(id, this.#fromFile(id, agent, groups));
    }
    for (const agent of this.#sources.agents) {
      const other = this.#members.has(agent.id) && this.#placeOf(agent.id);
      if (other) throw new Refused({ code: "bad_config", message: `The agent "${agent.id}" is defined twice: in code and in ${other}.` });
      this.#members.set(agent.id, this.#fromCode(agent, groups));
    }
    this.#checkTeam();
  }

  #checkTeam(): void {
    const inFiles = [...(this.#settings?.agents ?? [])].map(([id, agent]) => ({ ...agent, id, place: this.#placeOf(id) }));
    const inCode = this.#sources.agents.map((agent) => ({ ...agent, place: "code" }));
    const problems = [...teamProblems([...inFiles, ...inCode]), ...(this.#sources.needsModels ? this.#unknownModels() : [])];
    if (problems.length > 0) throw new Refused({ code: "bad_config", message: problems.join("\n") });
  }

  /** A missing key or model may be added later; an unknown name is an error. */
  #unknownModels(): readonly string[] {
    return this.members().flatMap(({ id }) =>
      this.#chosenFor(id).flatMap((model) => {
        const problem = unknownModel(() => this.#modelFor(model));
        return problem === undefined ? [] : [`${this.#placeOf(id)}: the agent "${id}": ${problem}`];
      }),
    );
  }

  #fromFile(id: string, agent: AgentConfig, groups: Groups): TeamMember {
    const names = agent.tools ?? [];
    const member = this.#member(id, agent, { tools: inGroups(names, groups), names });
    const elsewhere = this.#elsewhere.of(member.name, agent);
    if (!elsewhere) return member;
    return { ...member, role: member.role, tools: toolsByName(id, elsewhere.tools), runner: () => elsewhere.runner, fbrEffort: 0 };
  }

  #fromCode(agent: DefinedAgent, groups: Groups): TeamMember {
    checkAgent(agent);
    const given = agent.tools ?? [];
    const names = given.filter((tool) => typeof tool === "string");
    const servers = Object.keys(this.#settings?.config.mcp.servers ?? {});
    const inCode = names.filter((name) => name.startsWith(CODE) && !groups[name]);
    const [problem] = [
      ...unknownTools(names, servers, () => `The agent "${agent.id}"`),
      ...inCode.map((name) => `The agent "${agent.id}": "${name}" is not among the tools that openProject was given.`),
    ];
    if (problem !== undefined) throw new Refused({ code: "bad_config", message: problem });
    const tools = [...inGroups(names, groups), ...given.filter((tool) => typeof tool !== "string")];
    return this.#member(agent.id, agent, { tools, names });
  }

  #member(id: string, agent: Omit<AgentConfig, "tools"> | DefinedAgent, { tools, names }: AgentTools): TeamMember {
    const chosen = this.#servers?.chosen(names);
    const role = roleReader(this.#sources.dir, agent.role);
    role(); // refuses a missing file now, not at the agent's first step
    const promised = "output" in agent && agent.output ? { schema: agent.output, jsonSchema: jsonSchemaOf(id, agent.output) } : undefined;
    const { busyModel } = agent;
    const own = toolsByName(id, tools);
    return {
      id,
      name: agent.name ?? id,
      get role() {
        return role();
      },
      ...(promised && { output: promised, outputSchema: JSON.stringify(promised.jsonSchema) }),
      fbrEffort: agent.fbrEffort ?? 1,
      asks: agent.asks ?? "tools",
      ...(agent.pin && { pin: agent.pin }),
      hasTasks: names.includes("tasks"),
      handles: agent.handles ?? [],
      ...(busyModel !== undefined && { busyRunner: () => modelRunner(this.#modelFor(busyModel)) }),
      get tools() {
        return chosen ? new Map([...own, ...chosen.tools]) : own;
      },
      ...(chosen && {
        prepare: (needed?: readonly string[]) => chosen.prepare(needed),
        missing: () => chosen.missing(),
        absent: (tool: string) => chosen.absent(tool),
      }),
      ...this.#runners(id, agent.model),
    };
  }

  /** The agent's model, or the choice among several. */
  #runners(id: string, own: Models | undefined): Pick<TeamMember, "runner" | "fallBack" | "models"> {
    const models = this.#chosenFor(id, own);
    const names = models.map((model) => (typeof model === "string" ? model : `${model.provider}/${model.modelId}`));
    const made = new Map<string | AiModel, Runner>();
    const runners = models.map((model) => () => {
      const runner = made.get(model) ?? modelRunner(this.#modelFor(model));
      made.set(model, runner);
      return runner;
    });
    const [only] = runners;
    if (!only) return { runner: () => noModel(id) };
    if (runners.length === 1) return { runner: only, models: names };
    const choice = new ModelChoice(runners, this.#sources.now);
    return {
      models: names,
      runner: (step) => choice.next(step),
      fallBack: (step, runner, fault) => choice.failed(step, runner, fault),
    };
  }

  #placeOf(id: string): string {
    if (!this.#settings?.agents.has(id)) return "code";
    return Object.hasOwn(this.#settings.config.agents, id) ? CONFIG_FILE : `agents/${id}.md`;
  }

  /**
   * Adds agents and tools of a part of the program that was loaded later or reloaded. They replace those with the same id or name.
   * A refusal changes nothing. Returns false if nothing is new.
   */
  adopt({ agents = [], tools = [] }: Partial<Pick<TeamSources, "agents" | "tools">>): boolean {
    const before = this.#sources;
    const { agents: known, tools: knownTools = [] } = before;
    if (agents.every((agent) => known.includes(agent)) && tools.every((tool) => knownTools.includes(tool))) return false;
    this.#sources = {
      ...before,
      agents: joined(known, agents, ({ id }) => id),
      tools: joined(knownTools, tools, ({ offer }) => offer.name),
    };
    try {
      this.#gather();
    } catch (error) {
      this.#sources = before;
      this.#gather();
      throw error;
    }
    return true;
  }

  /** The state of the MCP servers. Only servers that an agent has needed are started. */
  servers(): readonly ServerStatus[] {
    return this.#servers?.status() ?? [];
  }

  /** Approves the changed files of an MCP server. Refuses an unknown name. */
  async allowServer(name: string): Promise<void> {
    if (await this.#servers?.allow(name)) return;
    const known = (this.#servers?.status() ?? []).map((server) => server.name).join(", ");
    throw new Refused({ code: "not_found", message: `There is no MCP server "${name}" with a command. Known: ${known || "none"}.` });
  }

  /** Resolves when all their processes have ended. */
  async close(): Promise<void> {
    await this.#servers?.close();
  }

  /** The models that an agent uses by its settings, in order of preference. Each throws `Fault` if it isn't available. */
  modelsOf(id: string): readonly (() => Model)[] {
    return this.#chosenFor(id).map((model) => () => this.#modelFor(model));
  }

  #chosenFor(id: string, named?: Models): readonly (string | AiModel)[] {
    if (this.#settings?.agents.get(id)?.a2a !== undefined) return [];
    const own = named ?? this.#settings?.agents.get(id)?.model ?? this.#sources.agents.find((agent) => agent.id === id)?.model;
    return [own ?? this.#sources.model ?? this.#settings?.config.defaults.model ?? []].flat();
  }

  #modelFor(model: string | AiModel): Model {
    return typeof model === "string" ? this.#findModel(model) : givenModel(model, this.#sources.now);
  }
}

function noModel(id: string): never {
  throw new Fault("model_unknown", "never", `No model for "${id}". Set defaults.model in colloquy.yaml, or model for this agent.`);
}

function unknownModel(find: () => unknown): string | undefined {
  try {
    find();
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.code === "model_unknown" ? error.message : undefined;
  }
}

const inGroups = (names: readonly string[], groups: Groups): readonly Tool[] => names.flatMap((name) => groups[name] ?? []);

/** Existing entries in their order, each in its newest version; then new ones. */
function joined<Item>(known: readonly Item[], given: readonly Item[], nameOf: (item: Item) => string): readonly Item[] {
  const byName = new Map([...known, ...given].map((item) => [nameOf(item), item]));
  return [...byName.values()];
}

/** Refuses duplicate names: a hidden tool would silently never be called. */
function toolsByName(agent: string, tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const own = new Map<string, Tool>();
  for (const tool of tools) {
    const { name } = tool.offer;
    const other = own.get(name);
    if (isBuiltinTool(name))
      throw clash(`The agent "${agent}" has a tool "${name}", which is the name of a tool that Colloquy gives to agents.`);
    if (other && other !== tool) throw clash(`The agent "${agent}" has two tools named "${name}".`);
    own.set(name, tool);
  }
  return own;
}

const clash = (message: string) => new Refused({ code: "bad_config", message: `${message} Give it another.` });
