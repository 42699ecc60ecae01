import { z } from "zod";
import type { AnyEvent } from "./events.ts";
import { Copied } from "./wire/copied.ts";
import { UnsettledCall } from "./effect.ts";
import { MainState } from "./dialog-state.ts";
import { AgentId, DialogId, QuestionId, RootId } from "./ids.ts";
import { QuestionView } from "./question.ts";

/** The version of a log line. `migrateLine` upgrades older lines when they are read; newer ones are refused. */
export const LOG_VERSION = 1;

/** One stream's part of a commit: events `seq`, `seq + 1`, …, all or none of them. */
export interface Line<Event = AnyEvent> {
  readonly v: number;
  readonly pos: number;
  readonly seq: number;
  /** ISO time of the decision. */
  readonly at: string;
  readonly events: readonly Event[];
}

/** The first line of a course file: the state folded from the files before it. */
export interface CheckpointLine {
  readonly v: number;
  readonly checkpoint: Snapshot;
}

/** Folded state at a `seq`. A cache, valid for one version of the reducer, and never the only copy. */
export interface Snapshot {
  readonly reducer: number;
  readonly seq: number;
  readonly pos: number;
  readonly state: unknown;
}

export const Status = z.enum(["running", "completed", "archived"]);
export type Status = z.infer<typeof Status>;

/** The part of an open question that an inbox shows. */
export const QuestionSummary = QuestionView.pick({ id: true, kind: true, headline: true, askedAt: true, deadline: true }).extend({
  dialog: DialogId,
  agent: AgentId,
  /** The agent's own id for it. */
  given: z.string().optional(),
  /** The number of dialogs that wait for it. */
  behind: z.number().int(),
});
export type QuestionSummary = z.infer<typeof QuestionSummary>;

/** What the project knows about a tree without opening it. */
export const Entry = z.object({
  rootId: RootId,
  status: Status,
  /** A turn may step or a call may run, so the tree must be driven after a crash. */
  hot: z.boolean(),
  agent: z.string(),
  title: z.string(),
  /** Its state as people see it, in one word. */
  state: MainState,
  stopped: z.string().optional(),
  copied: Copied.optional(),
  createdAt: z.string(),
  lastModified: z.string(),
  cost: z.number().optional(),
  tokens: z.number().optional(),
  /** Open questions, oldest first. */
  questions: z.array(QuestionSummary).optional(),
  /** Open questions that close with one in another tree. People see only that one. */
  sharing: z.array(QuestionId).optional(),
  /** Calls whose outcome nobody knows, until a person settles them. */
  unsettled: z.array(UnsettledCall).optional(),
  /** The nearest deadline, in milliseconds. */
  due: z.number().optional(),
});
export interface Entry extends z.infer<typeof Entry> {}

type Migration = (line: Line<never>) => Line<never>;

/** `migrations[n]` upgrades a line from version n to n + 1. */
const migrations: Readonly<Record<number, Migration>> = {};

/** Upgrades a parsed line to the current version; undefined if it is newer than this program. */
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
