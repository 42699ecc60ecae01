import { MAX_PROGRAM_NAME } from "@colloquy/schema";
import { McpServer, type Implementation } from "@modelcontextprotocol/server";
import { addDialogTools } from "./dialog-tools.ts";
import { addPrompts } from "./prompts.ts";
import { addQuestionTools } from "./question-tools.ts";
import { addTasks, TASKS } from "./tasks.ts";
import { addResources } from "./resources.ts";
import type { McpProject } from "./mcp-project.ts";

const INSTRUCTIONS =
  "Ask people with ask_people when a decision is theirs; wait_for_answer returns what they said, even after days. " +
  "create_dialog gives work to a team of agents. No tool answers or approves anything: people do that in their inbox.";

interface ServerOptions {
  readonly version: string;
  /** Who asks, if the client does not say its name. */
  readonly caller: string;
}

/** The server for one connection, or one request. */
export function colloquyServer(project: McpProject, { version, caller }: ServerOptions): McpServer {
  const server = new McpServer(
    { name: "colloquy", title: `Colloquy: ${project.name}`, version },
    { instructions: INSTRUCTIONS, capabilities: { resources: { subscribe: true }, tools: {}, prompts: {}, extensions: { [TASKS]: {} } } },
  );
  const programOf = (): string => nameOf(server.server.getClientVersion()) ?? caller;
  addQuestionTools(server, project, programOf);
  addDialogTools(server, project);
  addResources(server, project);
  addPrompts(server, project);
  addTasks(server, project);
  return server;
}

const nameOf = (client: Implementation | undefined): string | undefined =>
  (client?.title?.trim() || client?.name.trim() || "").slice(0, MAX_PROGRAM_NAME) || undefined;
