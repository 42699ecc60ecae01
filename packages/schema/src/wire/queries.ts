import { z } from "zod";
import { EffectOutcome } from "../effect.ts";
import { QuestionStatus } from "../question.ts";
import { Status } from "../records.ts";
import { NotificationKind } from "../notification.ts";
import { TaskKind, TaskOrder, TaskStatus } from "../task.ts";

/** A number in a query string. */
const number = z
  .string()
  .regex(/^\d{1,15}$/, "a number")
  .transform(Number);
/** Values above the maximum are reduced, not refused. */
const limit = (most: number) => number.transform((wanted) => Math.max(1, Math.min(wanted, most))).prefault(String(most));

/** `after`: the last id of the previous page. Without `status`, all dialogs. */
export const DialogsQuery = z.strictObject({ status: Status.optional(), after: z.string().optional(), limit: limit(200) });
/** The same `msgId` imports once. */
export const ImportQuery = z.strictObject({ msgId: z.string().min(1).max(200).optional() });
/** `dialog`: only questions of its whole tree, newest first. */
export const QuestionsQuery = z.strictObject({
  status: QuestionStatus.optional(),
  dialog: z.string().optional(),
  after: z.string().optional(),
  limit: limit(500),
});
export const TasksQuery = z.strictObject({
  status: TaskStatus.optional(),
  kind: TaskKind.optional(),
  order: TaskOrder.default("oldest"),
  after: z.string().optional(),
  limit: limit(500),
});
export const NotificationsQuery = z.strictObject({
  status: z.enum(["open", "resolved"]).optional(),
  kind: NotificationKind.optional(),
  after: z.string().optional(),
  limit: limit(500),
});
/** `after` and `before` are `seq`s. With only `before`, the newest events before it. */
export const EventsQuery = z.strictObject({ after: number.optional(), before: number.optional(), limit: limit(1_000) });
/** `with`: the other dialog. */
export const CompareQuery = z.strictObject({ with: z.string().min(1) });
/** `limit`: how many of the newest events to include. */
export const SnapshotQuery = z.strictObject({ limit: limit(400) });
/** Waits this many milliseconds, at most thirty seconds. If the tree is not quiet by then, ask again. */
export const QuietQuery = z.strictObject({ within: number.transform((wanted) => Math.min(wanted, 30_000)).prefault("0") });
/** The first or last digits of an id. */
export const MatchingQuery = z.strictObject({ digits: z.string(), limit: limit(100) });
export const StreamQuery = z.strictObject({ after: number.optional() });
/** `dialog`: a main dialog for its whole tree. `since`: an ISO time. `after`: the last call of the previous page. */
export const EffectsQuery = z.strictObject({
  dialog: z.string().optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  outcome: EffectOutcome.optional(),
  after: z.string().optional(),
  limit: limit(500),
});
export const UsageQuery = z.strictObject({ by: z.enum(["agent", "day", "dialog"]).default("agent") });
export const FilesQuery = z.strictObject({ q: z.string().max(200), limit: limit(20) });
export const SearchQuery = z.strictObject({ q: z.string(), limit: limit(100) });
/** The first or last digits of an id. */
export const LocateQuery = z.strictObject({ id: z.string().min(2).max(64) });

/** `after`: the last commit that the backup has. `project`: the one it is of, as its parts say. */
export const BackupQuery = z.strictObject({ after: number.optional(), project: z.string().max(64).optional() });
