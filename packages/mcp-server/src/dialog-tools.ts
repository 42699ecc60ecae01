import type { DialogView } from "@colloquy/schema";
import type { McpServer, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { orRefused } from "./reply.ts";
import type { McpProject } from "./mcp-project.ts";
import { timeoutMs, waiting } from "./wait.ts";

const msgId = z.string().min(1).max(200).optional().describe("Your id for it: calling again with the same one has no second effect.");
const dialogId = z.string().describe("The dialog's id.");
const seen = z.looseObject({ dialogId: z.string(), state: z.string(), lastReply: z.string() });

/** Work for the team. */
export function addDialogTools(server: McpServer, project: McpProject): void {
  const team = project.team().map(({ id, name }) => (name === id ? id : `${id} (${name})`));
  server.registerTool(
    "create_dialog",
    {
      title: "Give work to the team",
      description: `Starts a dialog with an agent of the team, and returns its id at once; the agent works on its own. Then call wait_for. The team: ${team.join(", ") || "nobody yet"}.`,
      inputSchema: z.strictObject({ content: z.string().describe("What to do."), agentId: z.string().optional(), msgId }),
      outputSchema: z.object({ dialogId: z.string() }),
      annotations: { destructiveHint: false, openWorldHint: true },
    },
    (given, ctx) => orRefused(() => project.create({ ...given, trace: traceOf(ctx) })),
  );
  server.registerTool(
    "send_message",
    {
      title: "Send a message",
      description: "A message to a dialog. It is read at the agent's next step. It never answers a question: only people do.",
      inputSchema: z.strictObject({ dialogId, content: z.string(), msgId }),
      outputSchema: z.object({ ack: z.string().optional() }),
      annotations: { destructiveHint: false, openWorldHint: true },
    },
    ({ dialogId: id, ...given }, ctx) =>
      orRefused(async () => {
        const { ack } = await project.send(id, { ...given, trace: traceOf(ctx) });
        return ack === undefined ? {} : { ack };
      }),
  );
  server.registerTool(
    "get_dialog",
    {
      title: "Look at a dialog",
      description: "Whether it works, waits or is done, what it waits for, and what its agent said last.",
      inputSchema: z.strictObject({ dialogId }),
      outputSchema: seen,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ dialogId: id }) => orRefused(() => look(project, id)),
  );
  server.registerTool(
    "wait_for",
    {
      title: "Wait for a dialog",
      description:
        "Waits until nothing in the dialog moves: it is done, or waits for a person. If the time is over before, call again: nothing is lost.",
      inputSchema: z.strictObject({ dialogId, timeoutMs }),
      outputSchema: seen,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ dialogId: id, timeoutMs: limitMs }, ctx) =>
      orRefused(async () => {
        const { title } = await project.view(id);
        await waiting(ctx, { timeoutMs: limitMs, message: `Waiting for ${title}` }, (signal) => project.quiet(id, signal));
        return look(project, id);
      }),
  );
}

/** The client's span: of this request by the protocol, else of the HTTP request. */
function traceOf({ mcpReq, http }: ServerContext): string | undefined {
  const named = mcpReq._meta?.traceparent;
  return typeof named === "string" ? named : (http?.req?.headers.get("traceparent") ?? undefined);
}

/** A dialog as tools and resources show it. */
export async function look(project: McpProject, id: string) {
  const view = await project.view(id);
  return { ...shown(view), lastReply: await project.lastReply(id) };
}

function shown({ selfId, rootId, agentId, title, state, status, summary, pending, questions }: DialogView) {
  return {
    dialogId: selfId,
    rootId,
    agentId,
    title,
    state,
    status,
    ...(summary !== undefined && { summary }),
    waitsFor: pending.map(({ agentId: asked }) => asked),
    openQuestions: questions.map(({ id, headline }) => ({ id, headline })),
  };
}
