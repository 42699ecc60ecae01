import { Refused } from "@colloquy/schema";
import type { ParsedInput } from "./tool.ts";

type Issue = { readonly message: string; readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined };
type Validated<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** A schema of any library that implements Standard Schema: Zod, Valibot, ArkType and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema, if the library has it. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown> } | undefined;
  };
}

export type InputOf<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["input"];
export type OutputOf<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/** A schema whose own check throws counts as a rejection. */
export async function parseWith(schema: StandardSchema, value: unknown): Promise<ParsedInput> {
  try {
    const validated = await schema["~standard"].validate(value);
    if (!validated.issues) return { ok: true, value: validated.value };
    return { ok: false, problems: validated.issues.map(problem).join("\n") };
  } catch (error) {
    return { ok: false, problems: error instanceof Error ? error.message : String(error) };
  }
}

function problem({ message, path = [] }: Issue): string {
  const names = path.map((step) => String(typeof step === "object" ? step.key : step));
  return names.length === 0 ? message : `${names.join(".")}: ${message}`;
}

/** The description of the input for the model. */
export function jsonSchemaOf(name: string, schema: StandardSchema): Record<string, unknown> {
  const { jsonSchema, vendor } = schema["~standard"];
  if (jsonSchema) return jsonSchema.input({ target: "draft-2020-12" });
  throw new Refused({
    code: "bad_request",
    message: `The tool "${name}" has an input that ${vendor} cannot describe as JSON Schema. Give that as inputJsonSchema, or use a schema with Standard JSON Schema (Zod has it).`,
  });
}
