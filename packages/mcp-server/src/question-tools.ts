import { askingFields, type QuestionView } from "@colloquy/schema";
import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { outcome, outcomeOf } from "./outcome.ts";
import { takesTasks, taskOf } from "./tasks.ts";
import { orRefused } from "./reply.ts";
import type { McpProject } from "./mcp-project.ts";
import { timeoutMs, waiting } from "./wait.ts";

const msgId = z.string().min(1).max(200).optional().describe("Your id for it: calling again with the same one has no second effect.");

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
      // As a task, its result is how the question ended.
      outputSchema: z.object({ questionId: z.string(), url: z.string().optional(), ...outcome }).partial({ status: true }),
      annotations: { destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    async (asking, ctx) => {
      let asked: QuestionView | undefined;
      const reply = await orRefused(async () => {
        const { questionId, url } = await project.ask({ ...asking, program: programOf() });
        if (takesTasks(ctx)) asked = await project.question(questionId);
        return { questionId, ...(url !== undefined && { url }) };
      });
      // The protocol's extension: the SDK checks the reply, and passes the rest on as it is.
      return asked ? { ...reply, ...taskOf(asked) } : reply;
    },
  );
  server.registerTool(
    "wait_for_answer",
    {
      title: "Wait for an answer",
      description: "Waits until a question is closed. If it is still open when the time is over, call again: nothing is lost meanwhile.",
      inputSchema: z.strictObject({ questionId: z.string(), timeoutMs }),
      outputSchema: z.object(outcome),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ questionId, timeoutMs: limitMs }, ctx) =>
      orRefused(async () => {
        const question = await project.question(questionId);
        if (question.status === "open")
          await waiting(ctx, { timeoutMs: limitMs, message: `Waiting for a person: ${question.headline}` }, (signal) =>
            project.closed(question, signal),
          );
        const { questionId: _, ...ended } = outcomeOf(await project.question(questionId));
        return ended;
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
