import { z } from "zod";

/** One field of a form. */
export const FormField = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  kind: z.enum(["text", "number", "integer", "boolean", "choice", "choices"]),
  required: z.boolean().optional(),
  default: z.unknown().optional(),
  /** The choices: the value that is sent, and its label. */
  choices: z.array(z.object({ value: z.string(), label: z.string() })).optional(),
  /** Bounds: of a number's value, a text's length, or the number of choices. */
  least: z.number().optional(),
  most: z.number().optional(),
  pattern: z.string().optional(),
  format: z.enum(["email", "uri", "date", "date-time"]).optional(),
});
export type FormField = z.infer<typeof FormField>;

/** What a tool asks a person during its call. Without fields it asks only for consent. */
export const Form = z.object({
  /** Identifies the question within its call. After a crash, the same question has the same key. */
  key: z.string(),
  fields: z.array(FormField),
  url: z.string().optional(),
  /** If set, the tool does not keep running: with this state and the answer, the call continues, even in another process. */
  resume: z.unknown().optional(),
});
export type Form = z.infer<typeof Form>;

/** `decline`: a person said no. `cancel`: nobody will answer. */
export type FormAnswer =
  | { readonly action: "accept"; readonly values: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" | "cancel" };
