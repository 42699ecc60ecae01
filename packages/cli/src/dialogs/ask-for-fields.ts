import * as prompts from "@clack/prompts";
import type { FormField } from "@colloquy/library";
import { oneLine } from "../terminal/visible.ts";

/** Fills in a form field by field. Undefined if the person cancels. */
export async function askForFields(fields: readonly FormField[]): Promise<string | undefined> {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const value = await askForField(field);
    if (prompts.isCancel(value)) return undefined;
    if (value !== undefined && value !== "") values[field.name] = value;
  }
  return JSON.stringify(values);
}

function askForField(field: FormField): Promise<unknown> {
  const message = oneLine([field.title ?? field.name, field.description].filter(Boolean).join(": "));
  const options = (field.choices ?? []).map(({ value, label }) => ({ value, label: oneLine(label) }));
  const preset = field.default;
  switch (field.kind) {
    case "boolean":
      return prompts.confirm({ message, initialValue: preset === true });
    case "choice": {
      const none = field.required ? [] : [{ value: "", label: "–", hint: "leave it out" }];
      return prompts.select({ message, options: [...options, ...none], ...(typeof preset === "string" && { initialValue: preset }) });
    }
    case "choices": {
      const initialValues = Array.isArray(preset) ? preset.map(String) : [];
      return prompts.multiselect({ message, options, initialValues, required: field.required ?? false });
    }
    default:
      return prompts.text({
        message,
        ...((typeof preset === "string" || typeof preset === "number") && { initialValue: String(preset) }),
        validate: (text) => (field.required && !text?.trim() ? "Some text, please" : undefined),
      });
  }
}
