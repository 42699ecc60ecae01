import { z } from "zod";
import { QuestionId } from "./ids.ts";
import { Choice, QuestionSource, QuestionStatus } from "./question.ts";

/** Questions that were raised together: one output, one step. Resolved when none of them is open. */
export const Notification = z
  .strictObject({
    id: z.string(),
    kind: z.enum(["question", "approval", "notice", "failure"]),
    source: QuestionSource,
    sourceId: z.string(),
    questions: z.array(
      z.strictObject({
        id: QuestionId,
        text: z.string(),
        options: z.array(Choice),
        createdAt: z.string(),
        status: QuestionStatus,
      }),
    ),
    status: z.enum(["open", "resolved"]),
    createdAt: z.string(),
    resolvedAt: z.string().optional(),
  })
  .meta({ id: "Notification" });
export type Notification = z.infer<typeof Notification>;
