import { isDeepStrictEqual } from "node:util";
import type { CommandNetwork, Tool } from "@colloquy/runtime";
import type { McpConfig, McpServerConfig } from "@colloquy/schema";
import type { Environment } from "./filled-in.ts";
import { launchOf } from "./launch.ts";
import { allowPrograms } from "./program-record.ts";
import type { SandboxReach } from "./connection.ts";
import { protectedCode } from "./server-code.ts";
import { McpServer, type ServerState } from "./server.ts";

export interface ServersWorld {
  /** The project's folder. */
  readonly dir: string;
  readonly now: () => number;
  /** Of this process. */
  readonly env?: Environment;
  /** How processes are isolated here; default: as well as the machine can. */
  readonly status?: SandboxReach["status"];
}

/** A server's state, for people. */
export interface ServerStatus {
  readonly name: string;
  readonly state: ServerState;
  readonly why: string | undefined;
  /** Its changed files that a person hasn't allowed. */
  readonly changed: readonly string[];
  readonly pid: number | undefined;
  /** By the names that agents know. */
  readonly tools: readonly string[];
}

/** The MCP servers of a project, each started when an agent that names it first needs it. */
export class McpServers {
  readonly #world: ServersWorld;
  #settings: McpConfig["servers"] = {};
  #env: Environment = {};
  #network: CommandNetwork = "none";
  #servers = new Map<string, McpServer>();
  readonly #closing = new Set<Promise<void>>();

  constructor(world: ServersWorld) {
    this.#world = world;
  }

  /** Settings were reloaded: changed servers are closed, and restarted when needed. */
  update(settings: McpConfig["servers"], env: Environment, network: CommandNetwork = "none"): void {
    const isSame = (name: string) =>
      isDeepStrictEqual(settings[name], this.#settings[name]) &&
      isDeepStrictEqual(env, this.#env) &&
      (network === this.#network || !settings[name]?.sandbox);
    for (const [name, server] of this.#servers) if (!isSame(name)) this.#drop(name, server);
    this.#settings = settings;
    this.#env = env;
    this.#network = network;
    const { status } = this.#world;
    const sandbox: SandboxReach = { network, programs: () => this.programs(), ...(status && { status }) };
    for (const [name, config] of Object.entries(settings)) {
      const place = { name, config, dir: this.#world.dir, env, ownEnv: this.#world.env ?? {}, sandbox };
      if (!this.#servers.has(name)) this.#servers.set(name, new McpServer(place, this.#world.now));
    }
  }

  /** Paths in the project that servers run: tools may read but not write them. */
  programs(): readonly string[] {
    return protectedCode(Object.values(this.#settings), this.#world.dir, this.#env);
  }

  /** A person has reviewed a server's changed files: they may run. False if there is no such server, or it isn't a program. */
  async allow(name: string): Promise<boolean> {
    const config = this.#settings[name];
    if (config?.command === undefined) return false;
    await allowServer(name, config, this.#world.dir, this.#env);
    return true;
  }

  /** The entries of an agent's `tools` that name servers or their tools. */
  chosen(names: readonly string[]): ChosenTools {
    return new ChosenTools(
      names.flatMap((name) => {
        const [of, tool] = splitName(name);
        const server = this.#servers.get(of);
        return server ? [{ server, only: tool === undefined ? undefined : name }] : [];
      }),
    );
  }

  /** Starts all of them, to report their state. */
  async startAll(): Promise<readonly ServerStatus[]> {
    await Promise.all([...this.#servers.values()].map((server) => server.prepare()));
    return this.status();
  }

  status(): readonly ServerStatus[] {
    return [...this.#servers.values()].map(({ name, state, why, changed, pid, tools }) => ({
      name,
      state,
      why,
      changed,
      pid,
      tools: [...tools.keys()],
    }));
  }

  /** Resolves when none of their processes is left. */
  async close(): Promise<void> {
    for (const [name, server] of this.#servers) this.#drop(name, server);
    await Promise.all(this.#closing);
  }

  #drop(name: string, server: McpServer): void {
    this.#servers.delete(name);
    const closing = server.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

/** Records a server's current programs as allowed. Starts nothing. */
async function allowServer(name: string, config: McpServerConfig, dir: string, env: Environment): Promise<void> {
  const { file } = launchOf(name, config, dir, env);
  await allowPrograms({ name, config, dir, env, file });
}

/** `server` or `server__tool`. */
export function splitName(name: string): readonly [server: string, tool: string | undefined] {
  const at = name.indexOf("__");
  return at < 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 2)];
}

interface Choice {
  readonly server: McpServer;
  /** A single tool; all of them if absent. */
  readonly only: string | undefined;
}

/** An agent's share of the servers. */
export class ChosenTools {
  readonly #choices: readonly Choice[];

  constructor(choices: readonly Choice[]) {
    this.#choices = choices;
  }

  get tools(): ReadonlyMap<string, Tool> {
    return new Map(this.#choices.flatMap(({ server, only }) => [...server.tools].filter(([name]) => only === undefined || only === name)));
  }

  /** Starts servers that are needed for the first time, or that have one of the `needed` tools. Never throws. */
  async prepare(needed: readonly string[] = []): Promise<void> {
    const servers = new Set(this.#choices.map(({ server }) => server));
    const names = new Set(needed.map((tool) => splitName(tool)[0]));
    await Promise.all([...servers].map((server) => server.prepare(names.has(server.name))));
  }

  /** An unavailable server, or a tool that it lacks, with the reason. */
  missing(): readonly string[] {
    return this.#choices.flatMap(({ server, only }) => {
      if (server.tools.size === 0 && server.why !== undefined) return [`${only ?? `${server.name}__*`}: ${server.why}`];
      return only !== undefined && server.state === "up" && !server.tools.has(only)
        ? [`${only}: the server ${server.name} has no such tool.`]
        : [];
    });
  }

  /** Why a tool is missing, if a server should have it. */
  absent(tool: string): string | undefined {
    const choice = this.#choices.find(({ server, only }) => (only === undefined ? splitName(tool)[0] === server.name : only === tool));
    if (!choice) return undefined;
    const { server } = choice;
    return server.why === undefined
      ? `The server ${server.name} has no such tool.`
      : `The server ${server.name} is not available. ${server.why}`;
  }
}
