import type { QuestionView } from "@colloquy/schema";

/** Whether a text shows this version of a question: its headline, and its choices under the same numbers. */
export function isShownIn({ headline, options }: QuestionView, text: string): boolean {
  if (!text.includes(headline)) return false;
  return options.every(({ label }, nth) => text.includes(`${nth + 1}. ${label}`));
}
