/** The languages of the command line, and of projects. */
export type Language = "en" | "zh";

/** A text for people, in every language: a missing one is a type error. */
export type Said = Readonly<Record<Language, string>>;

/** The language of the terminal, as other programs choose it. */
export function languageOf(env: Readonly<Record<string, string | undefined>>): Language {
  const locale = env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"] || "";
  return /^zh\b|^zh_/i.test(locale) ? "zh" : "en";
}
