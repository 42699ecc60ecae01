import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";

type StreamPart = LanguageModelV4StreamPart;

const OPEN = "<think>";
const CLOSE = "</think>";

/**
 * Some endpoints put reasoning into the text, between tags at its very start. A tag may arrive in pieces, so a possible start of one is
 * held back.
 * undecided → thinking → answering; undecided → answering if the text doesn't start with the tag.
 */
export async function* thinkTagsAsReasoning(parts: AsyncIterable<StreamPart>): AsyncGenerator<StreamPart> {
  let state: "undecided" | "thinking" | "answering" = "undecided";
  let held = "";
  for await (const part of parts) {
    if (state === "answering" || !("id" in part) || !part.type.startsWith("text-")) {
      yield part;
      continue;
    }
    const { id } = part;
    if (part.type === "text-delta") held += part.delta;

    if (state === "undecided" && held.trimStart().startsWith(OPEN)) {
      state = "thinking";
      held = held.trimStart().slice(OPEN.length).trimStart();
      yield { type: "reasoning-start", id };
    }
    if (state === "undecided" && (part.type === "text-end" || !OPEN.startsWith(held.trimStart()))) {
      state = "answering";
      yield { type: "text-start", id };
      if (held !== "") yield { type: "text-delta", id, delta: held };
      if (part.type === "text-end") yield part;
    }
    if (state !== "thinking") continue;

    const end = held.indexOf(CLOSE);
    const sure = end >= 0 ? end : part.type === "text-end" ? held.length : held.length - lengthOfBegun(held, CLOSE);
    if (sure > 0) yield { type: "reasoning-delta", id, delta: held.slice(0, sure) };
    held = held.slice(sure);
    if (end < 0 && part.type !== "text-end") continue;

    state = "answering";
    yield { type: "reasoning-end", id };
    yield { type: "text-start", id };
    const answer = held.slice(CLOSE.length).trimStart();
    if (answer !== "") yield { type: "text-delta", id, delta: answer };
    if (part.type === "text-end") yield part;
  }
}

/** How many characters at the end of the text could start the tag. */
function lengthOfBegun(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--) if (text.endsWith(tag.slice(0, length))) return length;
  return 0;
}
