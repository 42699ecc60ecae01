import { z } from "zod";
import { ActClass } from "./settings/autonomy.ts";
import { FormField } from "./form.ts";
import { AgentId, CallId, DialogAddress, QuestionId } from "./ids.ts";

/** A choice, with its advantages and disadvantages. */
export const Choice = z.strictObject({
  label: z.string().min(1),
  description: z.string().optional(),
  pros: z.array(z.string()).optional(),
  cons: z.array(z.string()).optional(),
  recommended: z.boolean().optional(),
  preview: z.string().optional(),
});
export interface Choice extends z.infer<typeof Choice> {}

/** What a choice of the system's own questions does. It is recorded with the question, so the label is only for people. */
export const ChoiceCode = z.enum([
  "resume",
  "giveUp",
  "more",
  "stop",
  "fork",
  "noMoreToday",
  "tryAgain",
  "closeTask",
  "accept",
  "decline",
  "yes",
  "no",
]);
export type ChoiceCode = z.infer<typeof ChoiceCode>;

/** A choice as a question offers it. `code` and `more` come from the system; no agent can set them. */
export const OfferedChoice = Choice.extend({
  code: ChoiceCode.optional(),
  /** With `code: "more"`: how much the limit is raised by, in its unit. */
  more: z.number().positive().optional(),
});
export interface OfferedChoice extends z.infer<typeof OfferedChoice> {}

export const QuestionKind = z.enum(["question", "confirmation", "approval", "limit", "fault"]);
export type QuestionKind = z.infer<typeof QuestionKind>;

export const QuestionStatus = z.enum(["open", "answered", "dismissed", "withdrawn", "expired"]);
export type QuestionStatus = z.infer<typeof QuestionStatus>;

export const QuestionSource = z.enum(["dialog", "eval", "prd", "plan", "execute"]);

/**
 * `failures`: a task failed repeatedly. `unreadable`: questions could not be read. `confirmed`: a second "are you sure", which nobody is
 * asked.
 */
export const QuestionTopic = z.enum(["unreadable", "confirmed", "failures"]);
export type QuestionTopic = z.infer<typeof QuestionTopic>;

/** Which limit was reached. */
export const LimitName = z.enum(["depth", "openAsks", "stepsPerTurn", "tokensPerTree", "costPerTree", "wallTimePerTree", "costPerDay"]);
export type LimitName = z.infer<typeof LimitName>;

/** How an approval was decided. `changed`: approved with a changed input. */
export const ApprovalVerdict = z.enum(["approved", "denied", "changed"]);
export type ApprovalVerdict = z.infer<typeof ApprovalVerdict>;

/** What a person decided, and when. Absent if a question ended without a decision. */
export const Answer = z
  .object({
    content: z.string(),
    choice: z.array(z.string()).optional(),
    verdict: ApprovalVerdict.optional(),
    /** The grant that approved it. */
    grant: z.string().optional(),
    by: z.string(),
    /** The person's own signature is in the log, with the event that closed the question. */
    signed: z.literal(true).optional(),
    at: z.string(),
  })
  .meta({ id: "Answer" });
export type Answer = z.infer<typeof Answer>;

/** The agent's own id for a question, and when the agent says it wrote it. */
const GivenName = z.strictObject({ id: z.string().optional(), createdAt: z.string().optional() });
type GivenName = z.infer<typeof GivenName>;

/** A question as people and programs see it. */
export const QuestionView = z
  .object({
    id: QuestionId,
    notificationId: z.string(),
    dialog: DialogAddress,
    /** The title of its main dialog. */
    title: z.string(),
    agentId: AgentId,
    /** The outside program that asks; then there is no agent. */
    program: z.string().optional(),
    headline: z.string(),
    text: z.string(),
    options: z.array(OfferedChoice),
    multiple: z.boolean(),
    allowOther: z.boolean(),
    kind: QuestionKind,
    source: QuestionSource,
    sourceId: z.string(),
    status: QuestionStatus,
    /** The version that an answer must refer to. */
    shown: z.string(),
    /** Its position in the log of its tree. */
    seq: z.number().int(),
    askedAt: z.string(),
    deadline: z.string().optional(),
    otherwise: z.string().optional(),
    url: z.string().optional(),
    /** How many dialogs wait for it, directly or through others. */
    waitingBehind: z.number().int(),
    call: CallId.optional(),
    /** For approvals: the tool, and the call's classes. */
    tool: z.string().optional(),
    classes: z.array(ActClass).optional(),
    /** The earlier question with the same words whose answer it reuses. */
    reuses: QuestionId.optional(),
    /** The question in another dialog that it waits for and closes with. */
    shares: QuestionId.optional(),
    /** A form to fill in. The answer's content has a line `name: value` for each field, or is a JSON object. */
    fields: z.array(FormField).optional(),
    /** The agent's own name for it. People may use its `id` if no other open question has the same one. */
    given: GivenName.optional(),
    thread: z.array(z.object({ by: z.string(), content: z.string(), at: z.string() })),
    answer: Answer.optional(),
  })
  .meta({ id: "Question" });
export interface QuestionView extends z.infer<typeof QuestionView> {}
