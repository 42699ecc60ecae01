import type { ReplyPart } from "./reply.ts";

interface ChatOptions {
  readonly id: string;
  readonly model: string;
  readonly created: number;
  readonly includesUsage: boolean;
}

interface Tokens {
  input: number;
  output: number;
}

const usageOf = ({ input, output }: Tokens) => ({ prompt_tokens: input, completion_tokens: output, total_tokens: input + output });

/** A whole `chat.completion`. */
export async function chatCompletion({ id, model, created }: ChatOptions, parts: AsyncIterable<ReplyPart>) {
  let content = "";
  const tokens: Tokens = { input: 0, output: 0 };
  for await (const part of parts) {
    if (part.type === "text") content += part.text;
    if (part.type === "usage") add(tokens, part);
  }
  const message = { role: "assistant", content, refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: "stop" }];
  return { id, object: "chat.completion", created, model, choices, usage: usageOf(tokens) };
}

/** The same as server-sent `chat.completion.chunk`s. */
export async function* chatChunks(options: ChatOptions, parts: AsyncIterable<ReplyPart>): AsyncGenerator<string> {
  const { id, model, created, includesUsage } = options;
  const tokens: Tokens = { input: 0, output: 0 };
  const chunk = (choices: readonly object[], more: object = includesUsage ? { usage: null } : {}) =>
    `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created, model, choices, ...more })}\n\n`;
  const delta = (given: object, finish: "stop" | null = null) => chunk([{ index: 0, delta: given, logprobs: null, finish_reason: finish }]);
  yield delta({ role: "assistant", content: "" });
  for await (const part of parts) {
    if (part.type === "text") yield delta({ content: part.text });
    // Not OpenAI's own, but what its clients show of other providers' reasoning.
    if (part.type === "thinking") yield delta({ reasoning_content: part.text });
    if (part.type === "usage") add(tokens, part);
  }
  yield delta({}, "stop");
  if (includesUsage) yield chunk([], { usage: usageOf(tokens) });
  yield "data: [DONE]\n\n";
}

function add(tokens: Tokens, { input, output }: Tokens): void {
  tokens.input += input;
  tokens.output += output;
}
