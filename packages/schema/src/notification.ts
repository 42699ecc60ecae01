import { z } from "zod";
import { ActClass } from "./settings/autonomy.ts";
import { AgentId, DialogId, QuestionId, RootId } from "./ids.ts";
import { Answer, GivenName, OfferedChoice, QuestionSource, QuestionStatus } from "./question.ts";

/** A notice is only read; the others wait for somebody. */
export const NotificationKind = z.enum(["question", "approval", "notice", "failure"]);
export type NotificationKind = z.infer<typeof NotificationKind>;

/** A question as notifications show it. `text` is all of its words, the headline included; of a closed one the headline is kept. */
export const NotificationQuestion = z
  .strictObject({
    id: QuestionId,
    headline: z.string(),
    text: z.string(),
    options: z.array(OfferedChoice),
    createdAt: z.string(),
    status: QuestionStatus,
    given: GivenName.optional(),
    answer: Answer.optional(),
  })
  .meta({ id: "NotificationQuestion" });
export interface NotificationQuestion extends z.infer<typeof NotificationQuestion> {}

/** Questions that were raised together: one output, one step. Resolved when none of them is open. */
export const Notification = z
  .strictObject({
    id: z.string(),
    kind: NotificationKind,
    source: QuestionSource,
    sourceId: z.string(),
    questions: z.array(NotificationQuestion),
    /** Of a notice: what an agent did without asking. */
    notice: z
      .strictObject({
        headline: z.string(),
        text: z.string(),
        class: ActClass,
        agentId: AgentId,
        dialog: z.strictObject({ rootId: RootId, selfId: DialogId }),
      })
      .optional(),
    status: z.enum(["open", "resolved"]),
    createdAt: z.string(),
    resolvedAt: z.string().optional(),
  })
  .meta({ id: "Notification" });
export interface Notification extends z.infer<typeof Notification> {}
