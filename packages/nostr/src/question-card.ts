import { questionText } from "@colloquy/bridge";
import type { QuestionView } from "@colloquy/schema";

const WORDS = {
  en: { answer: "Reply with your answer.", decide: 'Or reply "approve", or "deny" and why.' },
  zh: { answer: "请回复你的答案。", decide: "或回复“批准”，或“拒绝”并说明原因。" },
} as const;

/** A question as an event's text, with how to answer it. */
export function questionCard(question: QuestionView, language: "en" | "zh"): string {
  const words = WORDS[language];
  if (question.kind !== "approval" && question.options.length === 0)
    return [...new Set([`**${question.headline.trim()}**`, question.text.trim(), words.answer])].filter((part) => part !== "").join("\n\n");
  const text = questionText(question, { language, page: undefined, others: 0 });
  return question.kind === "approval" ? `${text}\n\n${words.decide}` : text;
}
