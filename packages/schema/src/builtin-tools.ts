import { z } from "zod";
import { CallId, SESSION_SLUG } from "./ids.ts";
import { Phase } from "./phase.ts";
import { Choice } from "./question.ts";
import { NewTask, TaskChange, TaskKey } from "./task.ts";

/** What the inputs of built-in tools say about themselves. The core has them in other languages. */
export const inputHints = {
  question:
    "The first line is the headline; then the situation in two sentences, the decision, and what each choice leads to. The reader sees only this.",
  choices: "Two to five real choices, each with what speaks for and against it.",
  otherwise: "The label of the choice that you will take if nobody answers in time.",
  agent: "an agent's id or name",
  handOff: "What the others must know to continue from here. They are shown it before they next speak.",
  task: "the task's id, or its last six digits",
  planKey: "its name within the plan",
  dependsOn: "keys of this plan, or ids of tasks",
  decision: "What was decided, and why.",
  alternatives: "What else was considered, and why not.",
  sideDialog: "a side dialog's id, or its last six digits",
} as const;

const content = z.string().refine((text) => text.trim() !== "", "must not be empty");

/** "30m", "2h", "3d", or an ISO time. */
export const Deadline = z
  .string()
  .refine((text) => /^\d+(?:s|m|h|d)$/.test(text) || !Number.isNaN(Date.parse(text)), 'a time such as "30m", "2h", "3d", or an ISO time');

/** Choices, or just their labels. */
export const Choices = z
  .array(
    z.union([
      z
        .string()
        .min(1)
        .transform((label): Choice => ({ label })),
      Choice,
    ]),
  )
  .max(9);

const askHuman = z.strictObject({
  tellaskContent: content.describe(inputHints.question),
  headline: z.string().optional(),
  options: Choices.optional().describe(inputHints.choices),
  multiple: z.boolean().optional(),
  allowOther: z.boolean().optional(),
  deadline: Deadline.optional(),
  otherwise: z.string().optional().describe(inputHints.otherwise),
});

/** The core looks the agent up; if there is none, its refusal lists the team. */
const agentName = z.string().trim().min(1).max(200).describe(inputHints.agent);

/** A Markdown file in the team's memory or the agent's own. */
const MemoryPath = z
  .string()
  .regex(
    /^(?:[\p{L}\p{N}_-][\p{L}\p{N}._-]*\/)*[\p{L}\p{N}_-][\p{L}\p{N}._-]*\.md$/u,
    "a relative path that ends in .md, without .. or hidden parts",
  )
  .max(200);

/** The inputs of the tools that are decided, not run. */
export const builtinInputs = {
  tellaskBack: z.strictObject({ tellaskContent: content }),
  tellask: z.strictObject({
    targetAgentId: agentName,
    sessionSlug: z.string().regex(SESSION_SLUG, "a session's name is a letter, then letters, digits, _ or -"),
    tellaskContent: content,
  }),
  tellaskSessionless: z.strictObject({ targetAgentId: agentName, tellaskContent: content }),
  freshBootsReasoning: z.strictObject({ tellaskContent: content }),
  delegate: z.strictObject({
    delegations: z
      .array(z.strictObject({ recipient: agentName, prompt: content, phase: Phase.optional(), branch: z.string().optional() }))
      .min(1)
      .max(32),
    wait: z.enum(["each", "all"]).optional(),
    deadline: Deadline.optional(),
  }),
  askHuman,
  ask: askHuman,
  cancel_asks: z.strictObject({ callIds: z.array(CallId).optional() }),
  clear_mind: z.strictObject({ reminder_content: z.string().optional() }),
  add_reminder: z.strictObject({ content }),
  update_reminder: z.strictObject({ reminder_id: z.number().int().positive(), content }),
  delete_reminder: z.strictObject({ reminder_id: z.number().int().positive() }),
  set_phase: z.strictObject({
    phase: Phase,
    why: z.string().optional(),
    summary: z.string().optional().describe(inputHints.handOff),
  }),
  mark_done: z.strictObject({}),
  change_mind: z.strictObject({ selector: z.enum(["goals", "constraints", "progress"]), content: z.string() }),
  remember: z.strictObject({ scope: z.enum(["team", "own"]), path: MemoryPath, content }),
  forget: z.strictObject({ scope: z.enum(["team", "own"]), path: MemoryPath }),
  recall: z.strictObject({ scope: z.enum(["team", "own"]), path: MemoryPath }),
  create_task: NewTask,
  update_task: z.strictObject({ task: z.string().min(4).describe(inputHints.task), ...TaskChange.shape }),
  create_plan: z.strictObject({
    tasks: z
      .array(
        z.strictObject({
          key: TaskKey.describe(inputHints.planKey),
          title: content,
          description: z.string().max(50_000).optional(),
          dependsOn: z.array(z.string()).max(50).optional().describe(inputHints.dependsOn),
        }),
      )
      .min(1)
      .max(50),
  }),
  update_prd: z.strictObject({ sectionKey: TaskKey, content: z.string() }),
  record_decision: z.strictObject({
    title: content,
    decision: content.describe(inputHints.decision),
    alternatives: z.array(z.string()).max(9).optional().describe(inputHints.alternatives),
  }),
  read_result: z.strictObject({ call: CallId, from: z.number().int().nonnegative().optional() }),
  end_session: z
    .strictObject({
      targetAgentId: agentName.optional(),
      sessionSlug: z.string().optional(),
      dialogId: z.string().trim().min(4).optional().describe(inputHints.sideDialog),
    })
    .refine(
      ({ targetAgentId, sessionSlug, dialogId }) =>
        dialogId === undefined ? targetAgentId !== undefined && sessionSlug !== undefined : (targetAgentId ?? sessionSlug) === undefined,
      "give targetAgentId and sessionSlug, or dialogId alone",
    ),
  revise_question: z.strictObject({ tellaskContent: content.optional(), headline: z.string().optional(), options: askHuman.shape.options }),
  withdraw_question: z.strictObject({ why: z.string() }),
} as const;

export type BuiltinTool = keyof typeof builtinInputs;
export type BuiltinInput<Tool extends BuiltinTool> = z.output<(typeof builtinInputs)[Tool]>;

export const isBuiltinTool = (name: string): name is BuiltinTool => Object.hasOwn(builtinInputs, name);

/** Built-in tools that work on a document or on files beside the log. */
export const isDocumentTool = (name: string): boolean =>
  name === "change_mind" ||
  name === "update_prd" ||
  name === "remember" ||
  name === "forget" ||
  name === "recall" ||
  name === "read_result";

/** Document tools that only read. */
export const readsDocument = (name: string): boolean => name === "recall" || name === "read_result";

/** The group `tasks`, which an agent has only if its settings name it. */
export const isTaskTool = (name: string): boolean =>
  name === "create_task" || name === "update_task" || name === "create_plan" || name === "update_prd";

/** Carried out when all other calls of their step have their results. */
export const isLastTool = (name: string): boolean => name === "clear_mind" || name === "mark_done";
