import type { FormField } from "@colloquy/schema";
import { useState } from "react";
import { useWords } from "../../state/appearance.ts";

type Values = Readonly<Record<string, unknown>>;

const INPUTS = { text: "text", number: "number", integer: "number" } as const;
const FORMATS = { email: "email", uri: "url", date: "date", "date-time": "text" } as const;

/** A tool's form, field by field. The server validates it and reports errors. */
export function AnswerForm({
  fields,
  isSending,
  onSend,
}: {
  readonly fields: readonly FormField[];
  readonly isSending: boolean;
  readonly onSend: (content: string) => void;
}) {
  const words = useWords();
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(fields.flatMap(({ name, default: given }) => (given === undefined ? [] : [[name, given]]))),
  );
  const set = (name: string, value: unknown) => setValues((before) => ({ ...before, [name]: value }));
  return (
    <form
      className="flex flex-col gap-3 rounded-xl border border-line bg-panel p-4"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(JSON.stringify(values));
      }}
    >
      {fields.map((field) => (
        <Field key={field.name} field={field} value={values[field.name]} onChange={(value) => set(field.name, value)} />
      ))}
      <button type="submit" className="button button-primary self-start px-5" disabled={isSending}>
        {words.answer}
      </button>
    </form>
  );
}

function Field({
  field,
  value,
  onChange,
}: {
  readonly field: FormField;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}) {
  const { name, title, description, kind, required = false, choices = [], format } = field;
  const label = `${title ?? name}${required ? " *" : ""}`;
  if (kind === "boolean")
    return (
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          className="h-4 w-4 accent-(--accent)"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
        {label}
      </label>
    );
  if (kind === "choices") {
    const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
    return (
      <fieldset>
        <legend className="text-[13px] text-muted">{label}</legend>
        {choices.map((choice) => (
          <label key={choice.value} className="flex min-h-8 items-center gap-2">
            <input
              type="checkbox"
              className="h-4 w-4 accent-(--accent)"
              checked={chosen.includes(choice.value)}
              onChange={(event) =>
                onChange(event.target.checked ? [...chosen, choice.value] : chosen.filter((one) => one !== choice.value))
              }
            />
            {choice.label}
          </label>
        ))}
      </fieldset>
    );
  }
  return (
    <label className="block text-[13px] text-muted">
      {label}
      {kind === "choice" ? (
        <select
          className="field mt-1 text-ink"
          required={required}
          value={typeof value === "string" ? value : ""}
          onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value)}
        >
          <option value="">–</option>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      ) : (
        <input
          className="field mt-1 text-ink"
          type={format ? FORMATS[format] : INPUTS[kind]}
          step={kind === "number" ? "any" : undefined}
          required={required}
          value={typeof value === "string" || typeof value === "number" ? value : ""}
          onChange={({ target }) => onChange(target.value === "" ? undefined : kind === "text" ? target.value : Number(target.value))}
        />
      )}
      {description !== undefined && <span className="mt-0.5 block">{description}</span>}
    </label>
  );
}
