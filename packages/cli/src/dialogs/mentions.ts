/** `A,B` as typed; `-` addresses nobody. */
export const mentionsIn = (typed: string): readonly string[] =>
  typed
    .split(/[,，、]/)
    .map((name) => name.trim().replace(/^[@＠]/, ""))
    .filter((name) => name !== "" && name !== "-");

export const mentionOption = {
  takes: "A,B",
  about: {
    en: "who is addressed, in this order (default: @names at the start of TEXT); - for nobody",
    zh: "按此顺序指定由谁答复（默认：TEXT 开头的 @名字）；- 表示不指定任何人",
  },
} as const;
