/** `A,B` as it was typed; `-` addresses nobody. */
export const mentionsIn = (typed: string): readonly string[] =>
  typed
    .split(/[,，、]/)
    .map((name) => name.trim().replace(/^[@＠]/, ""))
    .filter((name) => name !== "" && name !== "-");

export const mentionOption = {
  takes: "A,B",
  about: "who is addressed, in this order (default: @names at the start of TEXT); - for nobody",
} as const;
