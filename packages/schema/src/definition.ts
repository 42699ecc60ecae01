import { z } from "zod";

/** Fingerprints of an agent's definition: its role, the names of its tools, what they take, and its models. */
export const Definition = z.object({ role: z.string(), tools: z.string(), schemas: z.string(), model: z.string() });
export interface Definition extends z.infer<typeof Definition> {}

export const DefinitionPart = z.enum(["role", "tools", "schemas", "model"]);
export type DefinitionPart = z.infer<typeof DefinitionPart>;
