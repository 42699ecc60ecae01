import type { ToolQuestion } from "@colloquy/runtime";
import type { FormAnswer, FormField } from "@colloquy/schema";
import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";

type Schema = Readonly<Record<string, unknown>>;

/** Converts a server's question into a tool's question to a person. */
export function questionOf(params: ElicitRequestParams): ToolQuestion {
  if (params.mode === "url") return { message: params.message, fields: [], url: params.url };
  const { properties, required } = params.requestedSchema;
  const fields = Object.entries(properties).map(([name, schema]) => fieldOf(name, schema as Schema, required?.includes(name) ?? false));
  return { message: params.message, fields };
}

export function resultOf(answer: FormAnswer): ElicitResult {
  return answer.action === "accept"
    ? { action: "accept", content: answer.values as NonNullable<ElicitResult["content"]> }
    : { action: answer.action };
}

const FORMATS: readonly unknown[] = ["email", "uri", "date", "date-time"];

function fieldOf(name: string, schema: Schema, required: boolean): FormField {
  const text = (key: string) => (typeof schema[key] === "string" ? { [key]: schema[key] } : {});
  const number = (key: string) => (typeof schema[key] === "number" ? schema[key] : undefined);
  const kind = kindOf(schema);
  const bounds = { text: ["minLength", "maxLength"], choices: ["minItems", "maxItems"] } as const;
  const [low, high] = kind === "text" || kind === "choices" ? bounds[kind] : ["minimum", "maximum"];
  const [least, most] = [number(low), number(high)];
  const choices = choicesOf(kind === "choices" ? ((schema["items"] ?? {}) as Schema) : schema);
  return {
    name,
    ...text("title"),
    ...text("description"),
    ...text("pattern"),
    kind,
    ...(required && { required }),
    ...(schema["default"] !== undefined && { default: schema["default"] }),
    ...(choices.length > 0 && { choices }),
    ...(least !== undefined && { least }),
    ...(most !== undefined && { most }),
    ...(FORMATS.includes(schema["format"]) && { format: schema["format"] as NonNullable<FormField["format"]> }),
  };
}

function kindOf(schema: Schema): FormField["kind"] {
  if (schema["type"] === "array") return "choices";
  if (choicesOf(schema).length > 0) return "choice";
  const { type } = schema;
  return type === "number" || type === "integer" || type === "boolean" ? type : "text";
}

/** Plain values, values with separate names, or values with titles. */
function choicesOf(schema: Schema): { value: string; label: string }[] {
  const titled = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(titled))
    return (titled as readonly Schema[]).map((one) => ({ value: String(one["const"]), label: String(one["title"] ?? one["const"]) }));
  const names = Array.isArray(schema["enumNames"]) ? schema["enumNames"] : [];
  return Array.isArray(schema["enum"])
    ? schema["enum"].map((value, at) => ({ value: String(value), label: String(names[at] ?? value) }))
    : [];
}
