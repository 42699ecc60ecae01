import type { Choice } from "@colloquy/schema";
import { type FoundObject, isObject, objectsIn } from "./lenient-json.ts";
import { normalisedWords } from "./normalised-words.ts";

/** A question that an agent wrote into its output. */
export interface WrittenQuestion {
  readonly text: string;
  readonly kind: "question" | "confirmation";
  readonly options: readonly Choice[];
  /** The agent's own name for it. */
  readonly id: string | undefined;
  readonly createdAt: string | undefined;
}

/** The structured part of a text. */
export interface StructuredOutput {
  readonly questions: readonly WrittenQuestion[];
  /** Intended as questions but unreadable, in its own words. */
  readonly unreadable: string | undefined;
  readonly status: "success" | "failed" | undefined;
  readonly summary: string | undefined;
  /** The prose around the objects that were read; undefined if there was none. */
  readonly around: string | undefined;
}

const NOTHING: StructuredOutput = { questions: [], unreadable: undefined, status: undefined, summary: undefined, around: undefined };

type Fields = Readonly<Record<string, unknown>>;

const QUESTIONS = /^open[_\s-]?questions$/i;
const HINT = /open[_\s-]?questions|\bstatus\b/i;
const KEY = /(["'“”‘’「]?)\bopen_?questions\b["'“”‘’」]?[ \t]*[:：]/gi;

/** Recognises a reported failure even in a broken or truncated object. */
const FAILED = /["'“]status["'”]\s*[:：]\s*["'“](?:failed|failure|fail)["'”]/gi;

/** Only the end of a longer text is read. */
const MAX_READ_CHARACTERS = 200_000;
const MAX_SHOWN_CHARACTERS = 2_000;

/**
 * The one parser for every agent's output. It reads every JSON object of the text, at any depth. It is lenient: both spellings count, plain
 * strings and missing ids are fine, and unreadable questions are kept in their own words. An empty list withdraws no question.
 */
export function readOutput(text: string): StructuredOutput {
  if (!HINT.test(text)) return NOTHING;
  const read = text.slice(-MAX_READ_CHARACTERS);
  const objects = objectsIn(read);
  const found = objects.map((object) => ({ ...object, reports: reportsIn(object.value) })).filter(({ reports }) => reports.length > 0);
  const unreadable = [...brokenIn(text.slice(0, -MAX_READ_CHARACTERS), []), ...brokenIn(read, objects)];
  const isBrokenFailure = [...text.matchAll(FAILED)].some(({ index }) => !isWithin(objects, index - (text.length - read.length)));
  if (found.length === 0 && unreadable.length === 0 && !isBrokenFailure) return NOTHING;
  const reports = found.flatMap((one) => one.reports);
  const questions = new Map<string, WrittenQuestion>();
  for (const item of reports.flatMap(itemsIn)) {
    const question = questionOf(item);
    if (!question) unreadable.push(typeof item === "string" ? item : JSON.stringify(item));
    else keep(questions, question);
  }
  const statuses = reports.map(statusIn);
  const status = isBrokenFailure || statuses.includes("failed") ? "failed" : statuses.find((one) => one !== undefined);
  const summaries = [...reports.filter((one) => statusIn(one) === status), ...found.map(({ value }) => value)];
  return {
    questions: [...questions.values()],
    unreadable: unreadable.length > 0 ? unreadable.join("\n").slice(0, MAX_SHOWN_CHARACTERS) : undefined,
    status,
    summary: summaries.flatMap(({ summary }) => (typeof summary === "string" && summary.trim() !== "" ? [summary.trim()] : [])).at(0),
    around: found.length > 0 ? around(read, found) : undefined,
  };
}

/** Merges questions with the same words, keeping everything said about them. */
function keep(questions: Map<string, WrittenQuestion>, question: WrittenQuestion): void {
  const words = normalisedWords(question.text);
  const first = questions.get(words);
  questions.set(
    words,
    first
      ? {
          text: first.text,
          kind: first.kind === "confirmation" ? first.kind : question.kind,
          options: first.options.length > 0 ? first.options : question.options,
          id: first.id ?? question.id,
          createdAt: first.createdAt ?? question.createdAt,
        }
      : question,
  );
}

/** All objects in this value, including itself, that have questions or a status. Objects that are questions do not count. */
function reportsIn(value: unknown): readonly Fields[] {
  if (Array.isArray(value)) return value.flatMap(reportsIn);
  if (!isObject(value)) return [];
  const below = Object.entries(value).flatMap(([key, child]) => (QUESTIONS.test(key) ? [] : reportsIn(child)));
  const isReport = statusIn(value) !== undefined || Object.keys(value).some((key) => QUESTIONS.test(key));
  return isReport ? [value, ...below] : below;
}

/** Removes the objects with their fences. */
function around(text: string, objects: readonly Pick<FoundObject, "from" | "to">[]): string {
  const ends = [0, ...objects.map(({ to }) => to)];
  return ends
    .map((from, nth) => text.slice(from, objects[nth]?.from))
    .map((part, nth, { length }) => (nth < length - 1 ? part.replace(/(?<!`)`{3,}\w*\s*$/, "") : part))
    .map((part, nth) => (nth > 0 ? part.replace(/^\s*`{3,}/, "") : part).trim())
    .filter((part) => part !== "")
    .join("\n\n");
}

/**
 * Fragments with the key outside all readable objects, because they are broken or truncated. Prose that mentions the key does not count.
 */
function brokenIn(text: string, objects: readonly Pick<FoundObject, "from" | "to">[]): string[] {
  const fragments: string[] = [];
  let after = 0;
  for (const match of text.matchAll(KEY)) {
    const at = match.index;
    const end = at + match[0].length;
    if (end <= after || isWithin(objects, at) || !isMeant(text, at, match[1] ?? "", end)) continue;
    const earliest = Math.max(after, at - MAX_SHOWN_CHARACTERS);
    const opening = earliest + text.slice(earliest, end).lastIndexOf("{");
    const before = objects[firstBehind(objects, at) - 1];
    const from = opening >= earliest && !(before && opening < before.to && before.to <= at) ? opening : at;
    const next = objects[firstBehind(objects, end - 1)]?.from ?? text.length;
    after = Math.min(next, from + MAX_SHOWN_CHARACTERS);
    fragments.push(text.slice(from, after).trim());
  }
  return fragments;
}

const isWithin = (objects: readonly Pick<FoundObject, "from" | "to">[], at: number): boolean =>
  at < (objects[firstBehind(objects, at) - 1]?.to ?? 0);

/** The first object after this position. Objects are sorted and disjoint, so a binary search finds it. */
function firstBehind(objects: readonly Pick<FoundObject, "from">[], at: number): number {
  let [low, high] = [0, objects.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((objects[middle]?.from ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** True if a field begins here, not a sentence: a colon, followed by a JSON value or by a list. */
function isMeant(text: string, at: number, quote: string, end: number): boolean {
  const rest = text.slice(end, end + 200);
  const isFirstKey = text
    .slice(Math.max(0, at - 200), at)
    .trimEnd()
    .endsWith("{");
  if (/^\s*(?:\[\s*\]|\{\s*\}|["'“‘「](?:none|n\/a|no)?\.?["'”’」])/i.test(rest)) return false;
  if (isFirstKey || /^\s*[[{"“「]/.test(rest)) return true;
  return quote === "" ? /^[ \t]*\r?\n\s*(?:[-*•]|\d+[.)])\s/.test(rest) : rest.trim() === "";
}

/** The values under both spellings. */
const itemsIn = (report: Fields): readonly unknown[] =>
  Object.entries(report).flatMap(([key, held]) => (QUESTIONS.test(key) ? itemsOf(held, false) : []));

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === false ||
  (typeof value === "string" && /^(?:|-|none|nothing|n\/a|no|无|暂无|没有)[.。]?$/i.test(value.trim())) ||
  (Array.isArray(value) && value.every(isEmpty)) ||
  (isObject(value) && Object.keys(value).length === 0);

/** A list, a single question, questions by their ids, or nested lists. */
function itemsOf(held: unknown, isListed: boolean): readonly unknown[] {
  if (isEmpty(held)) return [];
  if (Array.isArray(held)) return held.flatMap((item: unknown) => itemsOf(item, true));
  if (!isObject(held)) return [held];
  const lists = Object.entries(held).filter(([key, list]) => (/^(?:questions|items)$/i.test(key) || QUESTIONS.test(key)) && !isEmpty(list));
  const inside = lists.flatMap(([, list]) => itemsOf(list, false));
  // The title of a list is not a question.
  if (wordsOf(held) !== undefined && (inside.length === 0 || askedIn(held) !== undefined)) return [held, ...inside];
  if (inside.length > 0) return inside;
  if (isListed) return [held];
  return Object.entries(held).flatMap(([id, item]) => {
    if (typeof item === "string") return isEmpty(item) ? [] : [{ id, text: item }];
    return isObject(item) && wordsOf(item) !== undefined ? itemsOf({ id, ...item }, true) : itemsOf(item, false);
  });
}

function questionOf(item: unknown): WrittenQuestion | undefined {
  if (typeof item === "string") return { text: item.trim(), kind: "question", options: [], id: undefined, createdAt: undefined };
  if (!isObject(item)) return undefined;
  const text = wordsOf(item);
  if (text === undefined) return undefined;
  const more = item.details ?? item.context;
  const id = typeof item.id === "string" || typeof item.id === "number" ? String(item.id).trim() : "";
  return {
    text: typeof more === "string" && more.trim() !== "" ? `${text}\n${more.trim()}` : text,
    kind: [item.kind, item.type].some(isConfirmation) ? "confirmation" : "question",
    options: optionsOf(item.options ?? item.choices),
    id: id === "" ? undefined : id,
    createdAt: typeof item.createdAt === "string" && !Number.isNaN(Date.parse(item.createdAt)) ? item.createdAt : undefined,
  };
}

const isConfirmation = (kind: unknown): boolean => typeof kind === "string" && /^(?:re)?confirm|^确认/.test(normalisedWords(kind));

const firstWords = (words: readonly unknown[]): string | undefined =>
  words.find((one): one is string => typeof one === "string" && one.trim() !== "")?.trim();

const askedIn = (item: Fields): string | undefined => firstWords([item.text, item.question, item.content, item.prompt, item.q]);

const wordsOf = (item: Fields): string | undefined => askedIn(item) ?? firstWords([item.title]);
/** Choices as labels, objects, or descriptions by label. Invalid ones are left out, because the question can be answered without them. */
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
  const labels = new Set([""]);
  return choices.filter(({ label }) => !labels.has(label) && labels.add(label));
}

const reasons = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === "string" && one.trim() !== "");

const statusIn = (report: Fields): "success" | "failed" | undefined =>
  statusOf(Object.entries(report).find(([key]) => key.toLowerCase() === "status")?.[1]);

function statusOf(value: unknown): "success" | "failed" | undefined {
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (["success", "succeeded", "successful", "done", "completed", "complete", "ok"].includes(word)) return "success";
  return ["failed", "failure", "fail", "error", "blocked"].includes(word) ? "failed" : undefined;
}
