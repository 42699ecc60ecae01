import { z } from "zod";
import { Choices, Deadline } from "./builtin-tools.ts";

export const MAX_PROGRAM_NAME = 100;

/** What an outside program may ask the project's people: a question in a dialog of its own, answered like those of agents. */
export const askingFields = {
  headline: z.string().max(1_000).describe("The decision in one line. The reader sees only this card."),
  text: z.string().max(50_000).optional().describe("The situation in two sentences, and what each choice leads to."),
  options: Choices.optional().describe("Two to five real choices, each with what speaks for and against it."),
  multiple: z.boolean().optional().describe("Several choices may be taken."),
  allowOther: z.boolean().optional().describe("false: only the choices count, no other words."),
  deadline: Deadline.optional().describe("When it expires."),
  otherwise: z.string().optional().describe("The label of the choice that you will take if nobody answers in time."),
} as const;

export const OutsideQuestion = z.strictObject({
  ...askingFields,
  /** The program's name, as it gives it. */
  program: z.string().max(MAX_PROGRAM_NAME),
  /** Whose credential it uses. */
  by: z.string(),
  msgId: z.string().min(1).max(200).optional(),
});
export type OutsideQuestion = z.infer<typeof OutsideQuestion>;
