import { z } from "zod";
import { ActClass } from "./settings/autonomy.ts";
import { AgentId, DialogAddress } from "./ids.ts";
import { QuestionSource, QuestionView } from "./question.ts";

/** A notice can only be read; the others wait for a decision. */
export const NotificationKind = z.enum(["question", "approval", "notice", "failure"]);
export type NotificationKind = z.infer<typeof NotificationKind>;

/** A question as notifications show it. `text` is its full text including the headline; of a closed question, only the headline is kept. */
export const NotificationQuestion = QuestionView.pick({
  id: true,
  headline: true,
  text: true,
  options: true,
  status: true,
  given: true,
  answer: true,
})
  .extend({ createdAt: z.string() })
  .strict()
  .meta({ id: "NotificationQuestion" });
export interface NotificationQuestion extends z.infer<typeof NotificationQuestion> {}

/** Questions asked together, in one output or step. Resolved when none of them is open. */
export const Notification = z
  .strictObject({
    id: z.string(),
    kind: NotificationKind,
    source: QuestionSource,
    sourceId: z.string(),
    questions: z.array(NotificationQuestion),
    /** For a notice: what an agent did without asking. */
    notice: z
      .strictObject({
        headline: z.string(),
        text: z.string(),
        class: ActClass,
        agentId: AgentId,
        dialog: DialogAddress,
      })
      .optional(),
    status: z.enum(["open", "resolved"]),
    createdAt: z.string(),
    resolvedAt: z.string().optional(),
  })
  .meta({ id: "Notification" });
export interface Notification extends z.infer<typeof Notification> {}
