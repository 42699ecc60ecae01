import type { Choice } from "@colloquy/schema";
import { isObject, objectsIn } from "./lenient-json.ts";

/** A question that an agent wrote into its output. */
export interface WrittenQuestion {
  readonly text: string;
  readonly kind: "question" | "confirmation";
  readonly options: readonly Choice[];
  /** The agent's own name for it. */
  readonly id: string | undefined;
  readonly createdAt: string | undefined;
}

/** What the text that ends a turn says besides its words. */
export interface StructuredOutput {
  readonly questions: readonly WrittenQuestion[];
  /** What was meant to be questions and cannot be read as such, in its own words. */
  readonly unreadable: string | undefined;
  readonly status: "success" | "failed" | undefined;
  readonly summary: string | undefined;
  /** What is said around the object that was read; undefined where none was. */
  readonly around: string | undefined;
}

const NOTHING: StructuredOutput = { questions: [], unreadable: undefined, status: undefined, summary: undefined, around: undefined };

const KEY = /["'“”‘’「]?\bopen_?questions\b["'“”‘’」]?\s*[:：]/i;
const HINT = /open_?questions|\bstatus\b/i;

/** Longer texts are read from their end. */
const READ = 200_000;
const SHOWN = 2_000;

/**
 * The one reader for every agent: the last object of the text that speaks of questions or of how it went. Lenient: both
 * spellings, whichever is filled; plain strings, missing ids and times; what cannot be read is never dropped in silence.
 */
export function readOutput(text: string): StructuredOutput {
  if (!HINT.test(text)) return NOTHING;
  const read = text.slice(-READ);
  const objects = objectsIn(read);
  const last = objects.findLast(({ value }) => fieldOf(value) !== undefined || statusOf(value.status) !== undefined);
  const broken = brokenAfter(read, objects, last?.to ?? 0);
  if (broken !== undefined) return { ...NOTHING, unreadable: broken };
  if (!last) return NOTHING;
  const { questions, unreadable } = questionsOf(fieldOf(last.value));
  const summary = last.value.summary;
  return {
    questions,
    unreadable: unreadable.length > 0 ? unreadable.join("\n").slice(0, SHOWN) : undefined,
    status: statusOf(last.value.status),
    summary: typeof summary === "string" && summary.trim() !== "" ? summary.trim() : undefined,
    around: around(read, last),
  };
}

/** The object goes with its fence. */
const around = (text: string, { from, to }: { readonly from: number; readonly to: number }): string =>
  [text.slice(0, from).replace(/`{3,}\w*\s*$/, ""), text.slice(to).replace(/^\s*`{3,}/, "")]
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");

/** The key stands behind all that could be read, and in no object: an object that is broken or was cut off. */
function brokenAfter(text: string, objects: readonly { readonly from: number; readonly to: number }[], after: number): string | undefined {
  const key = KEY.exec(text.slice(after));
  if (!key) return undefined;
  const at = after + key.index;
  if (objects.some(({ from, to }) => from <= at && at < to)) return undefined;
  const opening = text.lastIndexOf("{", at);
  return text.slice(opening >= after ? opening : at, at + SHOWN).trim();
}

/** Whichever of the two spellings is filled; undefined when there is neither. */
function fieldOf(value: Readonly<Record<string, unknown>>): { readonly held: unknown } | undefined {
  const spelled = Object.keys(value).filter((key) => /^open_?questions$/i.test(key));
  const filled = spelled.find((key) => !isEmpty(value[key])) ?? spelled[0];
  return filled === undefined ? undefined : { held: value[filled] };
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === false ||
  (typeof value === "string" && /^(?:|none|n\/a|no|无|没有)\.?$/i.test(value.trim())) ||
  (Array.isArray(value) && value.every(isEmpty)) ||
  (isObject(value) && Object.keys(value).length === 0);

function questionsOf(field: { readonly held: unknown } | undefined): {
  readonly questions: readonly WrittenQuestion[];
  readonly unreadable: readonly string[];
} {
  const questions: WrittenQuestion[] = [];
  const unreadable: string[] = [];
  for (const item of field === undefined || isEmpty(field.held) ? [] : itemsOf(field.held)) {
    if (isEmpty(item)) continue;
    const question = questionOf(item);
    if (!question) unreadable.push(typeof item === "string" ? item : JSON.stringify(item));
    // The same words twice in one output are one question.
    else if (!questions.some(({ text }) => text === question.text)) questions.push(question);
  }
  return { questions, unreadable };
}

/** A list, one question alone, or questions by their ids. */
function itemsOf(held: unknown): readonly unknown[] {
  if (Array.isArray(held)) return held.flatMap((item: unknown) => (Array.isArray(item) ? (item as readonly unknown[]) : [item]));
  if (!isObject(held) || wordsOf(held) !== undefined) return [held];
  const inside = held.questions ?? held.items;
  if (Array.isArray(inside)) return inside;
  return Object.entries(held).map(([id, item]) =>
    typeof item === "string" ? { id, text: item } : isObject(item) ? { id, ...item } : item,
  );
}

function questionOf(item: unknown): WrittenQuestion | undefined {
  if (typeof item === "string") return { text: item.trim(), kind: "question", options: [], id: undefined, createdAt: undefined };
  if (!isObject(item)) return undefined;
  const text = wordsOf(item);
  if (text === undefined) return undefined;
  const more = item.details ?? item.context;
  return {
    text: typeof more === "string" && more.trim() !== "" ? `${text}\n${more.trim()}` : text,
    kind: [item.kind, item.type].some((kind) => typeof kind === "string" && /^confirm/i.test(kind)) ? "confirmation" : "question",
    options: optionsOf(item.options ?? item.choices),
    id: typeof item.id === "string" || typeof item.id === "number" ? String(item.id) : undefined,
    createdAt: typeof item.createdAt === "string" && !Number.isNaN(Date.parse(item.createdAt)) ? item.createdAt : undefined,
  };
}

const wordsOf = (item: Readonly<Record<string, unknown>>): string | undefined =>
  [item.text, item.question, item.content, item.prompt, item.title, item.q]
    .find((words): words is string => typeof words === "string" && words.trim() !== "")
    ?.trim();

/** Labels, or objects, or descriptions by label. What is no choice is left out: the question can be answered without. */
function optionsOf(value: unknown): readonly Choice[] {
  const list: readonly unknown[] = Array.isArray(value)
    ? value
    : isObject(value)
      ? Object.entries(value).map(([label, description]) => (isObject(description) ? { label, ...description } : { label, description }))
      : [];
  const choices = list.flatMap((option): Choice[] => {
    if (typeof option === "string" || typeof option === "number") return option === "" ? [] : [{ label: String(option).trim() }];
    if (!isObject(option)) return [];
    const label = [option.label, option.text, option.name, option.title, option.value, option.option].find(
      (one): one is string | number => (typeof one === "string" && one.trim() !== "") || typeof one === "number",
    );
    if (label === undefined) return [];
    const description = option.description ?? option.details;
    const pros = reasons(option.pros);
    const cons = reasons(option.cons);
    return [
      {
        label: String(label).trim(),
        ...(typeof description === "string" && description.trim() !== "" && { description: description.trim() }),
        ...(pros.length > 0 && { pros }),
        ...(cons.length > 0 && { cons }),
        ...((option.recommended === true || option.default === true) && { recommended: true }),
      },
    ];
  });
  return choices.filter(({ label }, at) => label !== "" && choices.findIndex((one) => one.label === label) === at);
}

const reasons = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === "string" && one.trim() !== "");

function statusOf(value: unknown): "success" | "failed" | undefined {
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (["success", "succeeded", "successful", "done", "completed", "complete", "ok"].includes(word)) return "success";
  return ["failed", "failure", "fail", "error", "blocked"].includes(word) ? "failed" : undefined;
}
