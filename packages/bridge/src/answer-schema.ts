import type { FormField, QuestionView } from "@colloquy/schema";

const object = (properties: object, required: readonly string[] = []) => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...(required.length > 0 && { required }),
});

/** The answer that a question expects, as JSON Schema. */
export function answerSchema({ kind, options, multiple, allowOther, fields }: QuestionView): object {
  if (kind === "approval") return object({ approved: { type: "boolean" }, reason: { type: "string" } }, ["approved"]);
  if (fields) {
    const required = fields.flatMap((field) => (field.required ? [field.name] : []));
    return object({ values: object(Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])), required) }, ["values"]);
  }
  const content = { content: { type: "string" } };
  if (options.length === 0) return object(content, ["content"]);
  const label = { type: "string", enum: options.map((option) => option.label) };
  return object({ choice: multiple ? { type: "array", items: label } : label, ...(allowOther && content) }, allowOther ? [] : ["choice"]);
}

function fieldSchema({ kind, title, description, choices = [] }: FormField): object {
  const about = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
  const values = { type: "string", enum: choices.map(({ value }) => value) };
  if (kind === "choice") return { ...values, ...about };
  if (kind === "choices") return { type: "array", items: values, ...about };
  return { type: kind === "text" ? "string" : kind, ...about };
}
