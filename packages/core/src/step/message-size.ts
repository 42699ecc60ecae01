import { type ModelMessage, type Part, textOf } from "@colloquy/schema";
import { tokensOf } from "../view/tokens.ts";

/** What providers charge for a large image. */
const IMAGE_TOKENS = 1_600;

/** Estimated tokens of a message. */
export function messageTokens(message: ModelMessage): number {
  if (message.role === "assistant") return message.parts.reduce((sum, part: Part) => sum + tokensOf(JSON.stringify(part)), 0);
  if (message.role === "result") return tokensOf(message.output);
  const images = message.role === "user" ? (message.images?.length ?? 0) : 0;
  return tokensOf(message.text) + images * IMAGE_TOKENS;
}

/** Shortens long results and texts for contexts without room for them in full. */
export const inShort = (messages: readonly ModelMessage[], characters: number): readonly ModelMessage[] =>
  messages.map((message): ModelMessage => {
    if (message.role === "assistant") {
      const isLong = textOf(message.parts).length > characters;
      return isLong
        ? { ...message, parts: message.parts.map((part) => ("saying" in part ? { saying: cut(part.saying, characters) } : part)) }
        : message;
    }
    return message.role === "result"
      ? { ...message, output: cut(message.output, characters) }
      : { ...message, text: cut(message.text, characters) };
  });

const cut = (text: string, characters: number): string => (text.length > characters ? `${text.slice(0, characters)}…` : text);
