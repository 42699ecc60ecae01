export type JsonSchema = Readonly<Record<string, unknown>>;

const CHOICES = ["anyOf", "oneOf", "allOf"] as const;

/**
 * A server's input schema in a form that every provider accepts: an object with properties, and no union at the top. The server
 * validates its input itself, so a wider schema here does no harm.
 */
export function offeredSchema(given: JsonSchema): JsonSchema {
  const { $schema: _, ...schema } = given;
  const forms = CHOICES.flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : [])).filter(isRecord);
  if (forms.length === 0) return { ...schema, type: "object", properties: isRecord(schema.properties) ? schema.properties : {} };
  const { anyOf: _any, oneOf: _one, allOf, ...rest } = schema;
  const required = [schema, ...(Array.isArray(allOf) ? allOf.filter(isRecord) : [])].flatMap((form) =>
    Array.isArray(form["required"]) ? form["required"] : [],
  );
  const properties = Object.assign({}, ...[...forms, schema].map((form) => form["properties"]).filter(isRecord)) as JsonSchema;
  return { ...rest, type: "object", properties, ...(required.length > 0 && { required: [...new Set(required)] }) };
}

/** The variants of a union at the top of a schema, for the description. */
export function formsOf(given: JsonSchema): string {
  const forms = (["anyOf", "oneOf"] as const).flatMap((key) => (Array.isArray(given[key]) ? [{ [key]: given[key] }] : []));
  return forms.length === 0 ? "" : `The input must also fit: ${forms.map((form) => JSON.stringify(form)).join(" ")}`;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
