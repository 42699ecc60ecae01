import { z } from "zod";
import { AutonomyConfig } from "./settings/autonomy.ts";
import { AgentId, QuestionId, RootId } from "./ids.ts";
import { QuestionSource } from "./question.ts";

export const TaskId = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .brand<"TaskId">();
export type TaskId = z.infer<typeof TaskId>;

/** Feedback becomes tasks, a PRD section is written, a plan becomes tasks, a task becomes a result. */
export const TaskKind = z.enum(["feedback", "prd", "plan", "task"]);
export type TaskKind = z.infer<typeof TaskKind>;

export const TaskStatus = z.enum(["open", "blocked", "in_progress", "closed"]);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** `current`: open tasks, oldest first, then closed ones, the last closed first. */
export const TaskOrder = z.enum(["oldest", "current"]);
export type TaskOrder = z.infer<typeof TaskOrder>;

/** The name of a PRD section, or of a task within its plan. */
export const TaskKey = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,79}$/u, "a key is a letter or digit, then letters, digits, ., _ or -");

/** What a tree knows about its task. */
export const TaskRef = z.object({ id: TaskId, kind: TaskKind, key: z.string().optional() });
export type TaskRef = z.infer<typeof TaskRef>;

/** A task as people and programs see it. */
export const TaskView = z.object({
  id: TaskId,
  kind: TaskKind,
  title: z.string(),
  description: z.string(),
  key: z.string().optional(),
  status: TaskStatus,
  assignee: AgentId.nullable(),
  dependsOn: z.array(TaskId),
  blockReason: z.literal("Open Question").nullable(),
  /** Its open questions. */
  questions: z.array(QuestionId),
  /** Its main dialog, after it was first taken. */
  dialogs: z.array(RootId),
  source: QuestionSource,
  sourceId: z.string(),
  /** The feedback or plan it came from. */
  from: TaskId.optional(),
  createdAt: z.string(),
  createdBy: z.string(),
  failures: z.number().int(),
  closedAt: z.string().optional(),
  summary: z.string().optional(),
  history: z.array(z.object({ at: z.string(), what: z.string(), by: z.string().optional(), why: z.string().optional() })),
});
export interface TaskView extends z.infer<typeof TaskView> {}

/** How far a task's agents may go without asking, and where that is set: for the project, or in the task's `config.json`. */
export const TaskAutonomy = z.strictObject({
  hilConfig: AutonomyConfig,
  from: z.enum(["project", "task"]),
  /** The file that can set it for this task. */
  path: z.string(),
  /** False if the file's settings cannot be read; then everything needs approval. */
  isReadable: z.boolean(),
});
export type TaskAutonomy = z.infer<typeof TaskAutonomy>;

/** The input for a new task. */
export const NewTask = z.strictObject({
  kind: TaskKind.default("task"),
  title: z.string().refine((text) => text.trim() !== "", "must not be empty"),
  description: z.string().max(50_000).optional(),
  key: TaskKey.optional(),
  dependsOn: z.array(z.string()).max(100).optional(),
});
export type NewTask = z.input<typeof NewTask>;

/** The changes that can be made to a task. `close` says why it is closed. */
export const TaskChange = z.strictObject({
  title: z.string().min(1).optional(),
  description: z.string().max(50_000).optional(),
  dependsOn: z.array(z.string()).max(100).optional(),
  close: z.string().optional(),
});
export type TaskChange = z.infer<typeof TaskChange>;
