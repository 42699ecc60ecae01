import { z } from "zod";
import { ActClass } from "./autonomy.ts";
import { AgentId, DialogId, QuestionId, RootId } from "./ids.ts";
import { OfferedChoice, QuestionSource, QuestionStatus } from "./question.ts";

/** A notice is only read; the others wait for somebody. */
export const NotificationKind = z.enum(["question", "approval", "notice", "failure"]);
export type NotificationKind = z.infer<typeof NotificationKind>;

/** Questions that were raised together: one output, one step. Resolved when none of them is open. */
export const Notification = z
  .strictObject({
    id: z.string(),
    kind: NotificationKind,
    source: QuestionSource,
    sourceId: z.string(),
    questions: z.array(
      z.strictObject({
        id: QuestionId,
        text: z.string(),
        options: z.array(OfferedChoice),
        createdAt: z.string(),
        status: QuestionStatus,
      }),
    ),
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
