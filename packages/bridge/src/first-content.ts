/** One message of a conversation, as the client gives it. */
export interface Turn {
  readonly role: "user" | "assistant" | "system";
  readonly text: string;
  readonly images: readonly Uint8Array[];
}

const WORDS = {
  en: {
    instructions: "Instructions of the program:",
    earlier: "Earlier in this conversation:",
    user: "User",
    assistant: "Assistant",
    now: "Now:",
  },
  zh: { instructions: "程序的指示：", earlier: "此前的对话：", user: "用户", assistant: "助手", now: "现在：" },
} as const;
const MAX_TITLE_LENGTH = 80;

/** A dialog's first message. What the client says went before is quoted in front of it. */
export function firstContent(turns: readonly Turn[], language: "en" | "zh"): { readonly content: string; readonly title?: string } {
  const words = WORDS[language];
  const at = turns.findLastIndex(({ role }) => role === "user");
  const content = turns[at]?.text ?? "";
  const instructions = turns.flatMap(({ role, text }) => (role === "system" && text.trim() !== "" ? [text.trim()] : []));
  const earlier = turns
    .slice(0, at)
    .flatMap(({ role, text }) => (role === "system" || text.trim() === "" ? [] : [`${words[role]}: ${text.trim()}`]));
  if (instructions.length === 0 && earlier.length === 0) return { content };
  const parts = [
    ...(instructions.length > 0 ? [words.instructions, ...instructions] : []),
    ...(earlier.length > 0 ? [words.earlier, ...earlier] : []),
    words.now,
    content,
  ];
  return { content: parts.join("\n\n"), title: content.trim().split("\n")[0]?.slice(0, MAX_TITLE_LENGTH) ?? "" };
}
