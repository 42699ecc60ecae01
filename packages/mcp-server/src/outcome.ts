import { QuestionStatus, type QuestionView } from "@colloquy/schema";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";

/** How a question ended, or that it is open. */
export const outcome = {
  status: QuestionStatus,
  answer: z.object({ content: z.string(), choice: z.array(z.string()).optional(), by: z.string(), at: z.string() }).optional(),
};

export function outcomeOf({ id, status, answer }: QuestionView) {
  if (!answer) return { questionId: id, status };
  const { content, choice, by, at } = answer;
  return { questionId: id, status, answer: { content, ...(choice && { choice }), by, at } };
}

/** A tool's result, for programs and for models that read only text. */
export const answered = (value: object): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
  structuredContent: { ...value },
});
