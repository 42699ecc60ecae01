import type { QuestionView } from "@colloquy/library";
import type { ProjectAccess, Receipt } from "../access/project-access.ts";
import { shortId } from "./ids.ts";

/** A line typed below a question: its decision, or why it decides nothing. */
export type ChatAnswer = { readonly decide: (project: ProjectAccess) => Promise<Receipt> } | { readonly hint: string };

/** A number chooses; other text is a free answer. An approval is never accidental: it takes the whole word. */
export function chatAnswer(question: QuestionView, line: string): ChatAnswer {
  const { id, shown, options, kind } = question;
  const text = line.trim();
  if (kind === "approval") {
    if (/^approve$/i.test(text)) return { decide: (project) => project.approve(id, { shown }) };
    const [, why] = /^deny(?:\s+([\s\S]*))?$/i.exec(text) ?? [undefined, undefined];
    if (!/^deny\b/i.test(text)) return { hint: `Type approve, or deny and why; /later leaves ${shortId(id)} open.` };
    return { decide: (project) => project.deny(id, { shown, ...(why !== undefined && { why }) }) };
  }
  const numbers = options.length > 0 && /^\d+(?:[\s,]+\d+)*$/.test(text) ? text.split(/[\s,]+/).map(Number) : [];
  const outside = numbers.filter((number) => number < 1 || number > options.length);
  if (outside.length > 0)
    return { hint: `There is no choice ${outside.join(", ")}: type 1${options.length > 1 ? ` to ${options.length}` : ""}.` };
  if (numbers.length > 0) return { decide: (project) => project.answer(id, { choice: numbers.map((number) => number - 1), shown }) };
  return { decide: (project) => project.answer(id, { content: line, shown }) };
}
