import { z } from "zod";
import { ActClass } from "./settings/autonomy.ts";
import { FormField } from "./form.ts";
import { AgentId, CallId, DialogId, QuestionId, RootId } from "./ids.ts";

/** A choice, with what speaks for and against it. */
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

/** `failures`: a task that failed again and again. `unreadable`: questions that could not be read. `confirmed`: a second "are you sure", which nobody is asked. */
export const QuestionTopic = z.enum(["unreadable", "confirmed", "failures"]);
export type QuestionTopic = z.infer<typeof QuestionTopic>;

/** Which limit was reached. */
export const LimitName = z.enum(["depth", "openAsks", "stepsPerTurn", "tokensPerTree", "costPerTree", "wallTimePerTree", "costPerDay"]);
export type LimitName = z.infer<typeof LimitName>;

/** How an approval was decided. `changed`: approved, with another input than the agent's. */
export const ApprovalVerdict = z.enum(["approved", "denied", "changed"]);
export type ApprovalVerdict = z.infer<typeof ApprovalVerdict>;

/** What a person decided, and when. Absent where a question ended without one. */
export const Answer = z
  .object({
    content: z.string(),
    choice: z.array(z.string()).optional(),
    verdict: ApprovalVerdict.optional(),
    /** The grant that approved it, where somebody had approved the like. */
    grant: z.string().optional(),
    by: z.string(),
    at: z.string(),
  })
  .meta({ id: "Answer" });
export type Answer = z.infer<typeof Answer>;

/** What the agent itself called a question, and when it says it wrote it. */
export const GivenName = z.strictObject({ id: z.string().optional(), createdAt: z.string().optional() });
export type GivenName = z.infer<typeof GivenName>;

/** A question as people and programs see it. */
export const QuestionView = z
  .object({
    id: QuestionId,
    notificationId: z.string(),
    dialog: z.object({ rootId: RootId, selfId: DialogId }),
    /** What its main dialog is called. */
    title: z.string(),
    agentId: AgentId,
    headline: z.string(),
    text: z.string(),
    options: z.array(OfferedChoice),
    multiple: z.boolean(),
    allowOther: z.boolean(),
    kind: QuestionKind,
    source: QuestionSource,
    sourceId: z.string(),
    status: QuestionStatus,
    /** The version that an answer must name. */
    shown: z.string(),
    /** Where it was asked, in the log of its tree. */
    seq: z.number().int(),
    askedAt: z.string(),
    deadline: z.string().optional(),
    otherwise: z.string().optional(),
    url: z.string().optional(),
    /** How many dialogs wait for this, directly or through others. */
    waitingBehind: z.number().int(),
    call: CallId.optional(),
    /** Of an approval: the tool, and what its call is. */
    tool: z.string().optional(),
    classes: z.array(ActClass).optional(),
    /** Its answer is that of an earlier question with the same words. */
    reuses: QuestionId.optional(),
    /** It waits for the answer to this question of another dialog, and is closed with it. */
    shares: QuestionId.optional(),
    /** A form that is to be filled in: the answer's content has a line `name: value` for each field, or is a JSON object. */
    fields: z.array(FormField).optional(),
    /** Among open questions its `id` names this one, wherever no other has it. */
    given: GivenName.optional(),
    thread: z.array(z.object({ by: z.string(), content: z.string(), at: z.string() })),
    answer: Answer.optional(),
  })
  .meta({ id: "Question" });
export interface QuestionView extends z.infer<typeof QuestionView> {}
