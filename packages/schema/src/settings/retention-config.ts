import { z } from "zod";
import { duration } from "./duration.ts";

const HOUR_MS = 3_600_000;
const age = duration.refine((ms) => ms >= HOUR_MS, 'at least an hour, such as "30d"');

/** What happens to dialogs that are over. Nothing, unless it is set. */
export const RetentionConfig = z.strictObject({
  /** A dialog that has been done for so long is archived. */
  archiveDone: age.optional(),
  /** A dialog that has been archived for so long is deleted. */
  deleteArchived: age.optional(),
  /** Answered questions of deleted dialogs stay. */
  keepQuestions: z.boolean().default(true),
});
export type RetentionConfig = z.infer<typeof RetentionConfig>;
