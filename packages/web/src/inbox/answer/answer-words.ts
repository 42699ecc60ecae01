import type { Answer } from "@colloquy/schema";
import type { Words } from "../../words.ts";

/** A decision in one line: verdict, choices and text, without repetition. */
export const answerWords = ({ verdict, choice = [], content }: Answer, words: Words): string =>
  [...new Set([verdict === undefined ? "" : words.verdicts[verdict], ...choice, content])].filter((one) => one !== "").join(" · ");
