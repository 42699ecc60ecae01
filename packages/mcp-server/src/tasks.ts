import type { QuestionView } from "@colloquy/schema";
import { type McpServer, ProtocolError, ProtocolErrorCode, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { McpProject } from "./mcp-project.ts";
import { answered, outcomeOf } from "./outcome.ts";

/** The extension by which a tool's result may come later. */
export const TASKS = "io.modelcontextprotocol/tasks";
const POLL_MS = 2_000;

const Envelope = z.looseObject({
  "io.modelcontextprotocol/clientCapabilities": z.looseObject({
    extensions: z.record(z.string(), z.unknown()).optional(),
    elicitation: z.looseObject({ url: z.unknown().optional() }).optional(),
  }),
});
const params = z.looseObject({ taskId: z.string().min(1).max(400) });

/** What this request's client can. */
function clientOf({ mcpReq }: ServerContext): { readonly hasTasks: boolean; readonly showsPages: boolean } {
  const { extensions = {}, elicitation } = Envelope.safeParse(mcpReq.envelope).data?.["io.modelcontextprotocol/clientCapabilities"] ?? {};
  return { hasTasks: Object.hasOwn(extensions, TASKS), showsPages: elicitation?.url !== undefined };
}

/** Whether the client wants results that come later as tasks. */
export const takesTasks = (ctx: ServerContext): boolean => clientOf(ctx).hasTasks;

/** A question that was just asked, as the task that waits for its answer. */
export const taskOf = (question: QuestionView) => ({ resultType: "task" as const, status: "working" as const, ...baseOf(question) });

/** `tasks/get` tells what a question's answer is. Nothing that a client sends here answers it: a person does, on the question's page. */
export function addTasks(server: McpServer, project: McpProject): void {
  const find = async (taskId: string): Promise<QuestionView> =>
    project.question(taskId).catch(() => {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task ${taskId.slice(0, 100)}.`);
    });
  const { server: connection } = server;
  connection.setRequestHandler("tasks/get", { params }, async ({ taskId }, ctx) => {
    const question = await find(taskId);
    const base = { resultType: "complete" as const, ...baseOf(question) };
    if (question.status !== "open")
      return { ...base, status: "completed", result: { resultType: "complete", ...answered(outcomeOf(question)) } };
    const url = project.pageOf(question.id);
    const statusMessage = `Waiting for a person: ${question.headline}`;
    if (url === undefined || !clientOf(ctx).showsPages) return { ...base, status: "working", statusMessage };
    const page = { method: "elicitation/create", params: { mode: "url", message: question.headline, url } };
    return { ...base, status: "input_required", statusMessage, inputRequests: { page } };
  });
  // That a page was shown, or not, decides nothing; and the question stays for the people it was asked of.
  for (const method of ["tasks/update", "tasks/cancel"])
    connection.setRequestHandler(method, { params }, async ({ taskId }) => {
      await find(taskId);
      return { resultType: "complete" };
    });
}

const baseOf = ({ id, askedAt, answer }: QuestionView) => ({
  taskId: id,
  createdAt: askedAt,
  lastUpdatedAt: answer?.at ?? askedAt,
  ttlMs: null,
  pollIntervalMs: POLL_MS,
});
