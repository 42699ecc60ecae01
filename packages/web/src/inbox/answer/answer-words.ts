import type { Answer } from "@colloquy/schema";
import type { Words } from "../../words.ts";

/** What somebody decided, in a line: the verdict on an approval, then choices and text, none of them twice. */
export const answerWords = ({ verdict, choice = [], content }: Answer, words: Words): string =>
  [...new Set([verdict === undefined ? "" : words.verdicts[verdict], ...choice, content])].filter((one) => one !== "").join(" · ");
