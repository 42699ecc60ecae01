import type { CreateElicitationResponse, ElicitationPropertySchema, ElicitationSchema } from "@agentclientprotocol/sdk";
import type { FormField, QuestionView } from "@colloquy/schema";
import type { Decision } from "./decision.ts";
import { wordsIn } from "./words.ts";

/** A question as a form. */
export function formOf({ fields, options, multiple, allowOther }: QuestionView, language: "en" | "zh"): ElicitationSchema {
  const words = wordsIn(language);
  if (fields) {
    const required = fields.flatMap(({ name, required: isRequired }) => (isRequired ? [name] : []));
    return { type: "object", properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])), required };
  }
  if (options.length === 0)
    return { type: "object", properties: { answer: { type: "string", title: words.answer, minLength: 1 } }, required: ["answer"] };
  const offered = options.map(({ label, description }) => ({
    const: label,
    title: description === undefined ? label : `${label}: ${description}`,
  }));
  const choice: ElicitationPropertySchema = multiple
    ? { type: "array", title: words.choice, items: { anyOf: offered } }
    : { type: "string", title: words.choice, oneOf: offered };
  if (!allowOther) return { type: "object", properties: { choice }, required: ["choice"] };
  return { type: "object", properties: { choice, other: { type: "string", title: words.other } }, required: [] };
}

function propertyOf({ kind, title, description, choices = [], least, most, pattern, format }: FormField): ElicitationPropertySchema {
  const about = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
  const values = choices.map(({ value, label }) => ({ const: value, title: label }));
  switch (kind) {
    case "choice":
      return { type: "string", ...about, oneOf: values };
    case "choices":
      return { type: "array", ...about, items: { anyOf: values } };
    case "text":
      return {
        type: "string",
        ...about,
        ...(least !== undefined && { minLength: least }),
        ...(most !== undefined && { maxLength: most }),
        ...(pattern !== undefined && { pattern }),
        ...(format !== undefined && { format }),
      };
    case "boolean":
      return { type: "boolean", ...about };
    default:
      return { type: kind, ...about, ...(least !== undefined && { minimum: least }), ...(most !== undefined && { maximum: most }) };
  }
}

/** What a filled-in form decides. Only a plain question can be declined: the agent decides then. */
export function filledIn(question: QuestionView, response: CreateElicitationResponse): Decision {
  const { kind, fields, options } = question;
  if (response.action === "decline" && (kind === "question" || kind === "confirmation")) return { type: "dismiss" };
  if (response.action !== "accept") return { type: "left" };
  const content = ("content" in response ? response.content : undefined) as Readonly<Record<string, unknown>> | null | undefined;
  if (!content) return { type: "left" };
  if (fields) return { type: "answer", content: JSON.stringify(content) };
  if (options.length === 0) return wordsOf(content.answer);
  const chosen = [content.choice ?? []].flat().filter((label) => typeof label === "string");
  const other = wordsOf(content.other);
  if (chosen.length === 0) return other;
  return { type: "answer", choice: chosen, ...(other.type === "answer" && { content: other.content }) };
}

const wordsOf = (given: unknown): Decision =>
  typeof given === "string" && given.trim() !== "" ? { type: "answer", content: given } : { type: "left" };
