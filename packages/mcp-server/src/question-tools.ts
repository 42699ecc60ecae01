import { askingFields, QuestionStatus, type QuestionView } from "@colloquy/schema";
import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { orRefused } from "./reply.ts";
import type { McpProject } from "./mcp-project.ts";
import { timeoutMs, waiting } from "./wait.ts";

const msgId = z.string().min(1).max(200).optional().describe("Your id for it: calling again with the same one has no second effect.");
const answer = z.object({ content: z.string(), choice: z.array(z.string()).optional(), by: z.string(), at: z.string() });

/** Questions to people. No tool here answers one: only people do. */
export function addQuestionTools(server: McpServer, project: McpProject, programOf: () => string): void {
  server.registerTool(
    "ask_people",
    {
      title: "Ask people",
      description:
        "Asks the people of this project, when a decision is theirs. It returns at once with the question's id; the question stays in their inbox until somebody answers, " +
        "also after a restart of anything. Call wait_for_answer with the id, now or much later. Make it self-contained: the reader sees only this question.",
      inputSchema: z.strictObject({ ...askingFields, msgId }),
      outputSchema: z.object({ questionId: z.string(), url: z.string().optional() }),
      annotations: { destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    (asking) =>
      orRefused(async () => {
        const { questionId, url } = await project.ask({ ...asking, program: programOf() });
        return { questionId, ...(url !== undefined && { url }) };
      }),
  );
  server.registerTool(
    "wait_for_answer",
    {
      title: "Wait for an answer",
      description: "Waits until a question is closed. If it is still open when the time is over, call again: nothing is lost meanwhile.",
      inputSchema: z.strictObject({ questionId: z.string(), timeoutMs }),
      outputSchema: z.object({ status: QuestionStatus, answer: answer.optional() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ questionId, timeoutMs: limitMs }, ctx) =>
      orRefused(async () => {
        const question = await project.question(questionId);
        if (question.status === "open")
          await waiting(ctx, { timeoutMs: limitMs, message: `Waiting for a person: ${question.headline}` }, (signal) =>
            project.closed(question, signal),
          );
        return outcomeOf(await project.question(questionId));
      }),
  );
  server.registerTool(
    "list_questions",
    {
      title: "List open questions",
      description: "The open questions to people, those that unblock the most work first.",
      inputSchema: z.strictObject({}),
      outputSchema: z.object({ questions: z.array(z.looseObject({ id: z.string(), headline: z.string() })) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    () => orRefused(async () => ({ questions: (await project.questions()).map(shortOf) })),
  );
}

function outcomeOf({ status, answer }: QuestionView) {
  if (!answer) return { status };
  const { content, choice, by, at } = answer;
  return { status, answer: { content, ...(choice && { choice }), by, at } };
}

/** A question in a list. */
export const shortOf = ({ id, kind, headline, text, options, program, agentId, dialog, askedAt, waitingBehind }: QuestionView) => ({
  id,
  kind,
  headline,
  text,
  options: options.map(({ label }) => label),
  from: program ?? agentId,
  dialogId: dialog.selfId,
  askedAt,
  waitingBehind,
});
