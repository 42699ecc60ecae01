import { z } from "zod";
import { RootId } from "../ids.ts";

/** What was said or done in a tree, without ids and times that differ between copies. */
export const StoryRow = z.strictObject({
  seq: z.number().int(),
  at: z.string(),
  /** The dialog's number in its tree, from 0 for the main one. */
  dialog: z.number().int(),
  who: z.string(),
  kind: z.enum(["message", "said", "called", "result", "asked", "answer", "question"]),
  text: z.string(),
});
export interface StoryRow extends z.infer<typeof StoryRow> {}

export const ComparedSide = z.strictObject({
  rootId: RootId,
  title: z.string(),
  /** Since the two parted. */
  rows: z.array(StoryRow),
  /** Rows that are not shown. */
  more: z.number().int(),
  steps: z.number().int(),
  words: z.number().int(),
  tokens: z.number(),
  /** In dollars, of the steps with a known price. */
  cost: z.number(),
  calls: z.record(z.string(), z.number().int()),
  files: z.array(z.string()),
});
export interface ComparedSide extends z.infer<typeof ComparedSide> {}

/** Two trees: what they share, and each side since they parted. */
export const Comparison = z
  .strictObject({
    /** How many rows they share, and the last one. */
    same: z.number().int(),
    last: StoryRow.optional(),
    sides: z.tuple([ComparedSide, ComparedSide]),
    /** Files that only one of them changed. */
    onlyFiles: z.tuple([z.array(z.string()), z.array(z.string())]),
  })
  .meta({ id: "Comparison" });
export interface Comparison extends z.infer<typeof Comparison> {}
