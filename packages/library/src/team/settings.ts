import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathText, problemsOf, readYaml } from "@colloquy/models";
import { type AgentConfig, Config, type ConfigInput, Refused, TOOL_GROUPS } from "@colloquy/schema";
import { readAgentFile } from "./agent-file.ts";
import { CONFIG_FILE } from "../open/find-project.ts";
import { notBuiltYet } from "../open/not-built-yet.ts";
import { teamProblems, userProblems } from "./team-problems.ts";
import { readOwnerFile } from "../open/owner-file.ts";

/** The project's settings. */
export interface Settings {
  readonly config: Config;
  /** All agents, wherever they are defined, in that order. */
  readonly agents: ReadonlyMap<string, AgentConfig>;
}

/** Reads `colloquy.yaml` and `agents/*.md`. Throws `Refused` (`bad_config`) with every problem, each with file and line. */
export async function readSettings(dir: string): Promise<Settings> {
  const problems: string[] = [];
  const read = await readYaml(readOwnerFile(join(dir, CONFIG_FILE)), CONFIG_FILE, Config, notBuiltYet);
  const agents = new Map<string, AgentConfig>();
  const servers = read.ok ? Object.keys(read.value.mcp.servers) : undefined;
  if (!read.ok) problems.push(...read.problems);
  else {
    problems.push(...takenNames(servers ?? [], (name) => read.where(["mcp", "servers", name])));
    for (const [id, agent] of Object.entries(read.value.agents)) {
      agents.set(id, agent);
      problems.push(...elsewhereProblems(agent, (key) => read.where(["agents", id, key])));
      problems.push(...unknownTools(agent.tools, servers, (at) => read.where(["agents", id, "tools", at])));
    }
  }
  for (const name of agentFiles(dir)) {
    const file = await readAgentFile(name, readOwnerFile(join(dir, "agents", name)));
    if (!file.ok) problems.push(...file.problems);
    else if (agents.has(file.id)) problems.push(`agents/${name}: "${file.id}" is in ${CONFIG_FILE} too. Keep one of them.`);
    else {
      agents.set(file.id, file.agent);
      problems.push(...elsewhereProblems(file.agent, (key) => `agents/${name}: ${key}`));
      problems.push(...unknownTools(file.agent.tools, servers, () => `agents/${name}: tools`));
    }
  }
  if (read.ok) problems.push(...userProblems(Object.keys(read.value.users), agents, (name) => read.where(["users", name])));
  const inConfig = read.ok ? read.value.agents : {};
  const placeOf = (id: string) => (Object.hasOwn(inConfig, id) ? `${CONFIG_FILE}: agents` : `agents/${id}.md`);
  problems.push(
    ...teamProblems([...agents].map(([id, { name, default: isDefault }]) => ({ id, name, default: isDefault, place: placeOf(id) }))),
  );
  if (problems.length > 0 || !read.ok) throw badConfig(problems);
  return { config: read.value, agents };
}

/** Settings that a program gives instead of a file, checked like the file. Throws `Refused` (`bad_config`) with every problem. */
export function settingsInCode(given: ConfigInput): Settings {
  const where = (path: readonly (string | number)[]) => pathText(["config", ...path]);
  const parsed = Config.safeParse(given);
  if (!parsed.success)
    throw badConfig(problemsOf(Config, parsed.error.issues).map(({ path, text }) => `${where(path)}: ${notBuiltYet(path) ?? text}`));
  const config = parsed.data;
  const servers = Object.keys(config.mcp.servers);
  const agents = Object.entries(config.agents);
  const problems = [
    ...takenNames(servers, (name) => where(["mcp", "servers", name])),
    ...userProblems(Object.keys(config.users), agents, (name) => where(["users", name])),
    ...agents.flatMap(([id, { tools }]) => unknownTools(tools, servers, (at) => where(["agents", id, "tools", at]))),
    ...agents.flatMap(([id, agent]) => elsewhereProblems(agent, (key) => where(["agents", id, key]))),
    ...teamProblems(agents.map(([id, { name, default: isDefault }]) => ({ id, name, default: isDefault, place: where(["agents"]) }))),
  ];
  if (problems.length > 0) throw badConfig(problems);
  return { config, agents: new Map(agents) };
}

const badConfig = (problems: readonly string[]) => new Refused({ code: "bad_config", message: problems.join("\n") });

/** The same, but the files may be missing if the whole team is in code. */
export const settingsIfAny = async (dir: string): Promise<Settings> =>
  existsSync(join(dir, CONFIG_FILE)) ? readSettings(dir) : { config: Config.parse({}), agents: new Map() };

/** Changes whenever one of the files that `readSettings` reads does. */
export function settingsStamp(dir: string): string {
  return [CONFIG_FILE, ...agentFiles(dir).map((name) => join("agents", name))]
    .map((path) => {
      const stat = statSync(join(dir, path), { throwIfNoEntry: false });
      return `${path} ${stat?.mtimeMs ?? 0} ${stat?.size ?? 0}`;
    })
    .join("\n");
}

function agentFiles(dir: string): readonly string[] {
  try {
    return readdirSync(join(dir, "agents"))
      .filter((name) => name.endsWith(".md"))
      .toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Before the name of a tool that is in a program's code, which only that program knows. */
export const CODE = "code:";

/** A group, a server, one tool of a server, or one in code. Where the servers could not be read, nothing can be said of them. */
export function unknownTools(
  tools: readonly string[] = [],
  servers: readonly string[] | undefined,
  where: (at: number) => string,
): readonly string[] {
  const groups: readonly string[] = TOOL_GROUPS;
  const known = [...groups, ...(servers ?? []).map((name) => `${name} (MCP)`)];
  const isKnown = (tool: string) =>
    groups.includes(tool) ||
    tool.startsWith(CODE) ||
    servers?.includes(tool) ||
    (tool.includes("__") && servers?.includes(tool.slice(0, tool.indexOf("__"))));
  return tools.flatMap((tool, at) =>
    servers === undefined || isKnown(tool)
      ? []
      : [
          `${where(at)}: "${tool}" is unknown. Known: ${known.join(", ")}${servers.length > 0 ? `, or one tool of a server, as in ${servers[0]}__name` : ""}.`,
        ],
  );
}

/** What an agent elsewhere decides itself. */
const OF_AGENTS_HERE = ["model", "tools", "fbrEffort", "handles", "asks", "busyModel"] as const;

const elsewhereProblems = (agent: AgentConfig, where: (key: string) => string): readonly string[] =>
  agent.a2a === undefined
    ? []
    : OF_AGENTS_HERE.flatMap((key) =>
        agent[key] === undefined ? [] : [`${where(key)}: an agent with a2a works elsewhere and has no ${key} here.`],
      );

/** A server may not be called like a group of tools, which agents name beside it. */
function takenNames(servers: readonly string[], where: (name: string) => string): readonly string[] {
  const taken: readonly string[] = TOOL_GROUPS;
  return servers.filter((name) => taken.includes(name)).map((name) => `${where(name)}: that name is taken by a group of tools.`);
}
