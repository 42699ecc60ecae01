import type { ReplyPart } from "./reply.ts";

interface ResponseOptions {
  readonly id: string;
  readonly model: string;
  readonly created: number;
  readonly previous: string | undefined;
}

interface Tokens {
  input: number;
  output: number;
}

const textPart = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });

/** The one message of a response. */
const messageOf = (id: string, status: "in_progress" | "completed", text?: string) => ({
  type: "message",
  id: id.replace(/^resp_/, "msg_"),
  status,
  role: "assistant",
  content: text === undefined ? [] : [textPart(text)],
});

const responseOf = (
  { id, model, created, previous }: ResponseOptions,
  status: "in_progress" | "completed",
  { text, tokens }: { readonly text?: string; readonly tokens?: Tokens } = {},
) => ({
  id,
  object: "response",
  created_at: created,
  status,
  model,
  output: text === undefined ? [] : [messageOf(id, "completed", text)],
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: previous ?? null,
  temperature: null,
  tool_choice: "auto",
  tools: [],
  top_p: null,
  usage: tokens
    ? {
        input_tokens: tokens.input,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: tokens.output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: tokens.input + tokens.output,
      }
    : null,
});

/** A response that goes on without the client. */
export const runningResponse = (options: ResponseOptions) => ({ ...responseOf(options, "in_progress"), background: true });

/** A whole `response`. */
export async function wholeResponse(options: ResponseOptions, parts: AsyncIterable<ReplyPart> | Iterable<ReplyPart>) {
  let text = "";
  const tokens: Tokens = { input: 0, output: 0 };
  for await (const part of parts) {
    if (part.type === "text") text += part.text;
    if (part.type === "usage") add(tokens, part);
  }
  return responseOf(options, "completed", { text, tokens });
}

/** The same as server-sent events. */
export async function* responseEvents(options: ResponseOptions, parts: AsyncIterable<ReplyPart>): AsyncGenerator<string> {
  let number = 0;
  const event = (type: string, given: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...given })}\n\n`;
  const item = { item_id: messageOf(options.id, "completed").id, output_index: 0, content_index: 0 };
  yield event("response.created", { response: responseOf(options, "in_progress") });
  yield event("response.in_progress", { response: responseOf(options, "in_progress") });
  yield event("response.output_item.added", { output_index: 0, item: messageOf(options.id, "in_progress") });
  yield event("response.content_part.added", { ...item, part: textPart("") });
  let text = "";
  const tokens: Tokens = { input: 0, output: 0 };
  for await (const part of parts) {
    if (part.type === "usage") add(tokens, part);
    if (part.type !== "text") continue;
    text += part.text;
    yield event("response.output_text.delta", { ...item, delta: part.text, logprobs: [] });
  }
  yield event("response.output_text.done", { ...item, text, logprobs: [] });
  yield event("response.content_part.done", { ...item, part: textPart(text) });
  yield event("response.output_item.done", { output_index: 0, item: messageOf(options.id, "completed", text) });
  yield event("response.completed", { response: responseOf(options, "completed", { text, tokens }) });
}

function add(tokens: Tokens, { input, output }: Tokens): void {
  tokens.input += input;
  tokens.output += output;
}
