import { z } from "zod";

/** One thing that a form asks for. */
export const FormField = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  kind: z.enum(["text", "number", "integer", "boolean", "choice", "choices"]),
  required: z.boolean().optional(),
  default: z.unknown().optional(),
  /** What may be chosen: the value that is sent, and how it is called. */
  choices: z.array(z.object({ value: z.string(), label: z.string() })).optional(),
  /** Of a number its value, of a text its length, of choices how many. */
  least: z.number().optional(),
  most: z.number().optional(),
  pattern: z.string().optional(),
  format: z.enum(["email", "uri", "date", "date-time"]).optional(),
});
export type FormField = z.infer<typeof FormField>;

/** What a tool asks of a person while its call is open. Without fields it asks for nothing but consent. */
export const Form = z.object({
  /** Which of the call's questions this is. Asked again after a crash, it has the same key. */
  key: z.string(),
  fields: z.array(FormField),
  url: z.string().optional(),
  /** Nothing runs meanwhile: with this and the answer the call goes on, also in another process. */
  resume: z.unknown().optional(),
});
export type Form = z.infer<typeof Form>;

/** `decline`: a person said no. `cancel`: nobody will answer. */
export type FormAnswer =
  | { readonly action: "accept"; readonly values: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" | "cancel" };
