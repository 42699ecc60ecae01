import type { ServerStatus } from "@colloquy/mcp";
import { commandNetwork } from "@colloquy/runtime";
import { environmentOf, type Environment } from "../open/environment.ts";
import { settingsIfAny } from "./settings.ts";

/** An MCP server's state when started now, and the agents that have its tools. */
export interface ServerDescription extends Omit<ServerStatus, "pid"> {
  readonly usedBy: readonly string[];
  /** Files of the project that it runs outside of the sandbox. */
  readonly projectCode: readonly string[];
}

/** Approves the programs of a project's MCP servers in their current version. The project need not be open. */
export async function allowServers(dir: string, env: Environment): Promise<void> {
  const { config } = await settingsIfAny(dir);
  const names = Object.keys(config.mcp.servers);
  if (names.length === 0) return;
  const { McpServers } = await import("@colloquy/mcp");
  const servers = new McpServers({ dir, now: Date.now, env });
  servers.update(config.mcp.servers, environmentOf(dir, env));
  // Other reasons for failing to start are reported when the server is needed.
  for (const name of names) await servers.allow(name).catch(() => undefined);
}

/** Starts every configured MCP server, reports its state and stops it. The project need not be open. */
export async function describeServers(dir: string, env: Environment): Promise<readonly ServerDescription[]> {
  const { config, agents } = await settingsIfAny(dir);
  if (Object.keys(config.mcp.servers).length === 0) return [];
  const { McpServers, protectedCode, splitName } = await import("@colloquy/mcp");
  const servers = new McpServers({ dir, now: Date.now, env });
  servers.update(config.mcp.servers, environmentOf(dir, env), commandNetwork(config.shell));
  try {
    const found = await servers.startAll();
    return found.map(({ name, state, why, changed, tools }) => {
      const usedBy = [...agents].filter(([, agent]) => agent.tools?.some((tool) => splitName(tool)[0] === name)).map(([id]) => id);
      const server = config.mcp.servers[name];
      const projectCode = server && !server.sandbox ? protectedCode([server], dir, environmentOf(dir, env)) : [];
      return { name, state, why, changed, tools, usedBy, projectCode };
    });
  } finally {
    await servers.close();
  }
}
