import type { OfferedChoice, QuestionView } from "@colloquy/schema";

interface Words {
  readonly recommended: string;
  readonly pick: string;
  readonly pickOrPage: (page: string) => string;
  readonly page: (page: string) => string;
  readonly elsewhere: string;
  readonly more: (count: number) => string;
}

const WORDS: Readonly<Record<"en" | "zh", Words>> = {
  en: {
    recommended: "recommended",
    pick: "Answer with the number or the label of a choice.",
    pickOrPage: (page) => `Answer with the number or the label of a choice, or at ${page}`,
    page: (page) => `Decide at ${page}`,
    elsewhere: "Decide in the inbox.",
    more: (count) => (count === 1 ? "One more question is open." : `${count} more questions are open.`),
  },
  zh: {
    recommended: "推荐",
    pick: "请回复选项的编号或文字。",
    pickOrPage: (page) => `请回复选项的编号或文字，或在此页面回答：${page}`,
    page: (page) => `请在此页面决定：${page}`,
    elsewhere: "请在收件箱中决定。",
    more: (count) => `还有 ${count} 个问题待回答。`,
  },
};

/** Approvals, limits and faults are decided, not answered. */
export const decidedByAnswer = ({ kind }: Pick<QuestionView, "kind">): boolean => kind === "question" || kind === "confirmation";

/** Approvals, limits and faults are decided where the person sees the whole of them; forms have fields. */
export const decidesHere = ({ kind, options, fields }: QuestionView): boolean =>
  decidedByAnswer({ kind }) && options.length > 0 && fields === undefined;

interface CardOptions {
  readonly language: "en" | "zh";
  readonly page: string | undefined;
  /** How many other questions are open. */
  readonly others: number;
}

/** A question as a message, in Markdown. */
export function questionText(question: QuestionView, { language, page, others }: CardOptions): string {
  const words = WORDS[language];
  const { headline, text, options } = question;
  // What an agent's call would do, letter by letter: as Markdown, a comment or a link in it would hide a part.
  const isLiteral = question.kind === "approval";
  const where = decidesHere(question)
    ? page === undefined
      ? words.pick
      : words.pickOrPage(page)
    : page === undefined
      ? words.elsewhere
      : words.page(page);
  const choices = options.map((option, nth) => choiceText(option, nth + 1, words)).join("\n");
  const rest = text.trim() === headline.trim() ? "" : text.trim();
  const shown = isLiteral && rest !== "" ? fenced(rest) : rest;
  return [isLiteral ? code(headline) : `**${headline}**`, shown, choices, others > 0 ? `${where}\n\n${words.more(others)}` : where]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** More backquotes than in the text. */
const fence = (text: string, atLeast: number): string => {
  let longest = atLeast - 1;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return "`".repeat(longest + 1);
};

const fenced = (text: string): string => {
  const around = fence(text, 3);
  return `${around}text\n${text}\n${around}`;
};

const code = (text: string): string => {
  const around = fence(text, 1);
  return `${around} ${text.replaceAll(/\s+/g, " ").trim()} ${around}`;
};

function choiceText({ label, description, recommended, pros = [], cons = [] }: OfferedChoice, number: number, words: Words): string {
  const head = `${number}. ${label}${recommended ? ` (${words.recommended})` : ""}${description === undefined ? "" : `: ${description}`}`;
  return [head, ...pros.map((pro) => `   + ${pro}`), ...cons.map((con) => `   - ${con}`)].join("\n");
}

/** The label that a text names, if it is exactly a choice's number, counted from 1, or its label. */
export function chosenIn({ options }: Pick<QuestionView, "options">, text: string): string | undefined {
  const given = text.trim();
  const byLabel = options.find(({ label }) => label.trim() === given)?.label;
  const byNumber = /^\d{1,3}$/.test(given) ? options[Number(given) - 1]?.label : undefined;
  // A label that is another choice's number names neither.
  return byLabel !== undefined && byNumber !== undefined && byLabel !== byNumber ? undefined : (byLabel ?? byNumber);
}
