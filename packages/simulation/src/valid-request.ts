import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { demand } from "./broken.ts";

/** What every provider requires of a request: system first, then turns, each call followed by exactly one result, nothing empty. */
export function demandValid(prompt: LanguageModelV4Prompt, from: string): void {
  const wrong = (what: string) => () => `the request of ${from} ${what}: ${JSON.stringify(prompt.map(({ role }) => role))}`;
  const told = prompt.filter(({ role }) => role !== "system");
  demand(
    prompt.slice(0, prompt.length - told.length).every(({ role }) => role === "system"),
    "SI9",
    wrong("has a system message in the middle"),
  );
  demand(told[0]?.role === "user", "SI9", wrong("does not begin with a user"));
  demand(told.at(-1)?.role !== "assistant", "SI9", wrong("ends with the model's own words"));
  const known = new Set<string>();
  let open = new Set<string>();
  for (const [at, message] of told.entries()) {
    // A person's words and others' are separate messages with the same role.
    demand(message.role === "user" || message.role !== told[at - 1]?.role, "SI9", wrong("has two of one role in a row"));
    demand(message.content.length > 0, "SI9", wrong("has an empty message"));
    if (message.role === "tool") {
      for (const part of message.content) {
        if (part.type !== "tool-result") continue;
        demand(open.delete(part.toolCallId), "SI9", wrong(`has a result for ${part.toolCallId}, which is not open`));
      }
    }
    demand(open.size === 0, "SI9", wrong(`leaves the calls ${[...open].join(", ")} without a result`));
    if (message.role === "user")
      for (const part of message.content) demand(part.type !== "text" || part.text.trim() !== "", "SI9", wrong("has an empty text"));
    if (message.role !== "assistant") continue;
    open = new Set();
    for (const part of message.content) {
      if (part.type !== "tool-call") continue;
      demand(!known.has(part.toolCallId), "SI9", wrong(`has the call ${part.toolCallId} twice`));
      known.add(part.toolCallId);
      open.add(part.toolCallId);
    }
  }
  demand(open.size === 0, "SI9", wrong("ends with calls without results"));
}
