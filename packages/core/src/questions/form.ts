import type { Form, FormField, OfferedChoice } from "@colloquy/schema";
import { saysYesOrNo } from "./choice-code.ts";
import type { Texts } from "../texts/texts.ts";
import { headlineOf } from "../commands/title.ts";
import { isCheapPattern } from "./pattern-cost.ts";

/** A form as people see it. A form with a single choice field becomes a question with choices. */
export interface FormCard {
  readonly headline: string;
  readonly text: string;
  readonly options?: OfferedChoice[];
  readonly multiple?: boolean;
  readonly allowOther?: boolean;
}

export function formCard(tool: string, { message, fields, url }: Form & { readonly message: string }, texts: Texts): FormCard {
  const [only, ...more] = fields;
  const lines = [
    texts.toolAsks(tool),
    ...(headlineOf(message) === message.trim() ? [] : [message.trim()]),
    ...(url === undefined ? [] : [texts.formAddress(url)]),
    ...(only && more.length === 0 ? [about(only, texts)] : []),
    ...(more.length > 0 ? [`${texts.formHowTo}\n${fields.map((field) => `- ${about(field, texts)}`).join("\n")}`] : []),
  ];
  const card = { headline: headlineOf(message) || tool, text: lines.filter((line) => line !== "").join("\n\n") };
  const accept: OfferedChoice = { label: texts.formAccept, code: "accept" };
  if (!only) return { ...card, options: [accept, { label: texts.formDecline, code: "decline" }], allowOther: false };
  if (more.length > 0 || (only.kind !== "choice" && only.kind !== "choices" && only.kind !== "boolean")) return card;
  const yesOrNo: OfferedChoice[] = [
    { label: texts.yes, code: "yes" },
    { label: texts.no, code: "no" },
  ];
  const options = only.kind === "boolean" ? yesOrNo : (only.choices ?? []).map(({ label }) => ({ label }));
  return { ...card, options, ...(only.kind === "choices" && { multiple: true }), allowOther: false };
}

export type ReadForm =
  | { readonly ok: true; readonly values: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads a person's answer as the requested values, or returns everything that is wrong with it. */
export function readForm(fields: readonly FormField[], content: string, labels: readonly string[], texts: Texts): ReadForm {
  const [only, ...more] = fields;
  if (!only) return { ok: true, values: {} };
  const given =
    more.length === 0 ? new Map<string, unknown>([[only.name, labels.length > 0 ? labels : content]]) : entriesOf(content, fields);
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  const named = new Map(fields.flatMap((field) => [[field.name.toLowerCase(), field] as const]));
  for (const name of given.keys()) if (!named.has(name.toLowerCase())) problems.push(texts.formNoField(name));
  const said = new Map([...given].map(([name, value]) => [name.toLowerCase(), value]));
  for (const field of fields) {
    const raw = said.get(field.name.toLowerCase());
    if (raw === undefined || raw === "" || raw === null) {
      if (field.default !== undefined) values[field.name] = field.default;
      else if (field.required) problems.push(texts.formMissing(about(field, texts)));
      continue;
    }
    const value = valueOf(field, raw);
    if (value === undefined || !isWithin(field, value)) problems.push(texts.formWrong(about(field, texts)));
    else values[field.name] = value;
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, values };
}

/**
 * Reads a JSON object, or lines of `name: value`. A line without a name continues the previous one. Within one line, `;` separates fields.
 */
function entriesOf(content: string, fields: readonly FormField[]): Map<string, unknown> {
  try {
    const read: unknown = JSON.parse(content);
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return new Map(Object.entries(read));
  } catch {
    // Not JSON, so it is read line by line.
  }
  const entries = new Map<string, unknown>();
  let last: string | undefined;
  const names = fields.map(({ name }) => name.toLowerCase());
  for (const line of content.split("\n").flatMap((one) => parted(one, names))) {
    const [, name, value] = /^\s*(?:[-*]\s+)?([^\s:=：]+)\s*[:=：]\s*(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      last = name;
      entries.set(name, (value ?? "").trim());
    } else if (last !== undefined) entries.set(last, `${String(entries.get(last))}\n${line}`.trim());
    else if (line.trim() !== "") entries.set(line.trim(), "");
  }
  return entries;
}

/** Splits only where a field's name follows, because values may contain `;`. */
function parted(line: string, names: readonly string[]): readonly string[] {
  return line.split(";").reduce<string[]>((parts, piece) => {
    const [, name = ""] = /^\s*([^\s:=：]+)\s*[:=：]/.exec(piece) ?? [];
    const last = parts.at(-1);
    if (last === undefined || names.includes(name.toLowerCase())) return [...parts, piece];
    return [...parts.slice(0, -1), `${last};${piece}`];
  }, []);
}

function valueOf(field: FormField, raw: unknown): unknown {
  const words = Array.isArray(raw) ? raw.map(String) : [String(raw).trim()];
  const [word = ""] = words;
  switch (field.kind) {
    case "text":
      return word;
    case "number":
    case "integer": {
      const number = Number(word);
      return word === "" || !Number.isFinite(number) || (field.kind === "integer" && !Number.isInteger(number)) ? undefined : number;
    }
    case "boolean": {
      const said = word.toLowerCase();
      if (["true", "y", "on", "1"].includes(said)) return true;
      return ["false", "n", "off", "0"].includes(said) ? false : saysYesOrNo(said);
    }
    case "choice":
      return chosen(field, word);
    case "choices": {
      const all = words.length === 1 && chosen(field, word) === undefined ? word.split(/[,，]/) : words;
      const values = all.map((one) => chosen(field, one.trim()));
      return values.includes(undefined) ? undefined : [...new Set(values)];
    }
  }
}

const chosen = ({ choices = [] }: FormField, word: string): string | undefined =>
  (
    choices.find(({ value, label }) => value === word || label === word) ??
    choices.find(({ value, label }) => [value, label].some((name) => name.toLowerCase() === word.toLowerCase()))
  )?.value;

const FORMATS: Readonly<Record<NonNullable<FormField["format"]>, RegExp>> = {
  email: /^[^\s@]+@(?=[^\s@]+$).+\../,
  uri: /^[a-zA-Z][a-zA-Z0-9+.-]*:\S+$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  "date-time": /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}/,
};

function isWithin({ least = -Infinity, most = Infinity, pattern, format }: FormField, value: unknown): boolean {
  const size = typeof value === "number" ? value : typeof value === "string" || Array.isArray(value) ? value.length : undefined;
  if (size !== undefined && (size < least || size > most)) return false;
  if (typeof value !== "string") return true;
  return (format === undefined || FORMATS[format].test(value)) && (pattern === undefined || fits(pattern, value));
}

/** Patterns that we cannot parse, or that could be slow, are left to the server. */
function fits(pattern: string, value: string): boolean {
  if (!isCheapPattern(pattern, value.length)) return true;
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}

/** `size (Your size): one of small, large; required`. */
function about(field: FormField, texts: Texts): string {
  const { name, title, description, kind, choices = [], least, most, format, pattern, required } = field;
  const names = [title, description].filter((one) => one !== undefined && one !== "" && one !== name).join(". ");
  const range =
    least === undefined && most === undefined ? "" : `${least ?? ""}–${most ?? ""}${kind === "text" ? ` ${texts.formCharacters}` : ""}`;
  const wants = [
    texts.formKinds[kind],
    choices.map(({ value, label }) => (value === label ? label : `${label} (${value})`)).join(", "),
    range,
    format ?? "",
    pattern === undefined ? "" : `/${pattern}/`,
  ].filter((one) => one !== "");
  const rest = [
    ...(field.default === undefined
      ? []
      : [texts.formDefault(typeof field.default === "string" ? field.default : JSON.stringify(field.default))]),
    ...(required && field.default === undefined ? [texts.formRequired] : []),
  ];
  return `${name}${names === "" ? "" : ` (${names})`}: ${[wants.join(" "), ...rest].join("; ")}`;
}
