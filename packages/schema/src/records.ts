import { z } from "zod";
import type { AnyEvent } from "./events.ts";
import { AgentId, DialogId, QuestionId, RootId } from "./ids.ts";
import { QuestionKind } from "./question.ts";

/** The version of a log line. An older line is lifted by `migrateLine` when it is read; a newer one is refused. */
export const LOG_VERSION = 1;

/** One stream's part of one commit: events `seq`, `seq + 1`, …, all or none of them. */
export interface Line<Event = AnyEvent> {
  readonly v: number;
  readonly pos: number;
  readonly seq: number;
  /** ISO time of the decision. */
  readonly at: string;
  readonly events: readonly Event[];
}

/** The first line of a course file: all that was folded from the files before it. */
export interface CheckpointLine {
  readonly v: number;
  readonly checkpoint: Snapshot;
}

/** Folded state at a `seq`. A cache: valid for one version of the reducer, and never the only copy. */
export interface Snapshot {
  readonly reducer: number;
  readonly seq: number;
  readonly pos: number;
  readonly state: unknown;
}

export const Status = z.enum(["running", "completed", "archived"]);
export type Status = z.infer<typeof Status>;

/** An open question, as much as an inbox shows of it in a row. */
export const QuestionSummary = z.object({
  id: QuestionId,
  dialog: DialogId,
  agent: AgentId,
  kind: QuestionKind,
  headline: z.string(),
  /** What its agent called it. */
  given: z.string().optional(),
  askedAt: z.string(),
  /** Dialogs that wait behind it. */
  behind: z.number().int(),
  deadline: z.string().optional(),
});
export type QuestionSummary = z.infer<typeof QuestionSummary>;

/** What the project knows of a tree without opening it. */
export const Entry = z.object({
  rootId: RootId,
  status: Status,
  /** A turn may step or a call may run: to be driven after a crash. */
  hot: z.boolean(),
  agent: z.string(),
  title: z.string(),
  /** How it looks from outside, in one word. */
  state: z.enum(["working", "asking", "waiting", "stopped", "done", "archived", "resting"]),
  stopped: z.string().optional(),
  createdAt: z.string(),
  lastModified: z.string(),
  cost: z.number().optional(),
  tokens: z.number().optional(),
  /** Open questions, oldest first. */
  questions: z.array(QuestionSummary).optional(),
  /** Open questions that are closed with one of another tree: people see only that one. */
  sharing: z.array(QuestionId).optional(),
  /** The nearest deadline, in milliseconds. */
  due: z.number().optional(),
});
export interface Entry extends z.infer<typeof Entry> {}

type Migration = (line: Line<never>) => Line<never>;

/** `migrations[n]` lifts a line of version n to version n + 1. */
const migrations: Readonly<Record<number, Migration>> = {};

/** Lifts a parsed line to the present version; undefined when it is newer than this program. */
export function migrateLine(line: Line): Line | undefined {
  if (line.v > LOG_VERSION) return undefined;
  let lifted = line as Line<never>;
  while (lifted.v < LOG_VERSION) {
    const migration = migrations[lifted.v];
    if (!migration) return undefined;
    lifted = migration(lifted);
  }
  return lifted as Line;
}
