import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { McpProject } from "./mcp-project.ts";

/** A prompt for each agent of the team: it asks the client's model to give that agent work. */
export function addPrompts(server: McpServer, project: McpProject): void {
  for (const { id, name } of project.team()) {
    server.registerPrompt(
      `ask_${id}`,
      {
        title: `Ask ${name}`,
        description: `Gives work to ${name}, an agent of ${project.name}.`,
        argsSchema: z.object({ request: z.string().describe("What to do.") }),
      },
      ({ request }) => ({
        messages: [
          {
            role: "user",
            content: {
              type: "text",
              text: `Call create_dialog with agentId "${id}" and this content, word for word. Then call wait_for, and tell me its last reply.\n\n${request}`,
            },
          },
        ],
      }),
    );
  }
}
