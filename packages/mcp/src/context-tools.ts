import { defineTool, type Tool, type ToolContext } from "@colloquy/runtime";
import type { Connection } from "./connection.ts";
import { z } from "zod";

/** The end of the name of a tool that the server has no say in. */
const RESOURCES = "resources";
const PROMPTS = "prompts";

/** What context tools need of a server. */
export interface ContextSource {
  readonly name: string;
  readonly timeoutMs: number;
  /** Runs on a connection that works; its errors say whose they are. */
  use(work: (connection: Connection) => Promise<string>, context: ToolContext): Promise<string>;
}

/** A server's resources and prompts, as tools that only read: lists are read anew each time, so a changed one needs no announcement. */
export function contextTools(server: ContextSource, has: { readonly resources: boolean; readonly prompts: boolean }): readonly Tool[] {
  const { name, timeoutMs } = server;
  const resources = defineTool({
    name: `${name}__${RESOURCES}`,
    description: `Resources of ${name}: without uri the list of them and of their templates, with uri the content of one.`,
    input: z.strictObject({ uri: z.string().min(1).optional().describe("From the list, or a template with its parts filled in.") }),
    reads: true,
    timeoutMs,
    run: ({ uri }, context) =>
      server.use((connection) => (uri === undefined ? connection.listResources(context) : connection.readResource(uri, context)), context),
  });
  const prompts = defineTool({
    name: `${name}__${PROMPTS}`,
    description: `Prompts that ${name} offers: without name the list, with name the text of one.`,
    input: z.strictObject({ name: z.string().min(1).optional(), arguments: z.record(z.string(), z.string()).optional() }),
    reads: true,
    timeoutMs,
    run: ({ name: of, arguments: given }, context) =>
      server.use(
        (connection) =>
          of === undefined ? connection.listPrompts(context) : connection.getPrompt({ name: of, arguments: given ?? {} }, context),
        context,
      ),
  });
  return [...(has.resources ? [resources] : []), ...(has.prompts ? [prompts] : [])];
}
