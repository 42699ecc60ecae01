import type { ModelRequest } from "@colloquy/models";
import { isCall, type ModelMessage, textOf } from "@colloquy/schema";

/** A request as a readable page: the head, the messages, the names of the tools. */
export function requestPage(request: ModelRequest | undefined): string {
  if (!request) throw new Error("There was no such request.");
  const head = request.system.map((text, nth) => block(nth > 0 && nth === request.system.length - 1 ? "head, changing" : "head", text));
  const tools = request.tools.map((tool) => `- ${tool.name}`).join("\n") || "none";
  return [...head, ...request.messages.map(messageBlock), `## tools\n\n${tools}\n`].join("\n");
}

const block = (title: string, text: string): string => `## ${title}\n\n\`\`\`\`text\n${text}\n\`\`\`\`\n`;

function messageBlock(message: ModelMessage): string {
  if (message.role === "result") return block(`result of ${message.tool}`, message.output);
  if (message.role !== "assistant") return block(message.role, message.text);
  const calls = message.parts.filter(isCall).map((part) => `→ ${part.tool} ${JSON.stringify(part.input)}`);
  return block("assistant", [textOf(message.parts), ...calls].filter(Boolean).join("\n"));
}
