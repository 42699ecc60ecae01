import type { QuestionView } from "@colloquy/library";
import { wrongUsage } from "../line/failure.ts";

/** A label, or a number counted from 1 as printed. */
export function choiceOf({ options }: QuestionView, typed: string): string | number {
  if (options.some(({ label }) => label === typed)) return typed;
  const number = Number(typed);
  if (Number.isInteger(number) && number >= 1 && number <= options.length) return number - 1;
  const known = options.map(({ label }, nth) => `${nth + 1} ${label}`).join(", ");
  throw wrongUsage(
    known === "" ? "This question has no choices: answer it with your own words." : `There is no choice ${typed}. There are: ${known}.`,
  );
}
