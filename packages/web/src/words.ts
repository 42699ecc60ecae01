import { chinese } from "./words-zh.ts";
import { english } from "./words-en.ts";

export type Language = "en" | "zh";

/** Every word that the interface says, in one language. Those of the glossary, and no others. */
export type Words = typeof english;

export const wordsOf = (language: Language): Words => (language === "zh" ? chinese : english);
