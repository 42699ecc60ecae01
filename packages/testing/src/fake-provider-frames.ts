export type AnswerPart =
  /** A list is sent in several pieces. */
  | { readonly say: string | readonly string[] }
  | { readonly think: string; readonly signature?: string }
  /** `input`: an object, or the text to send instead of JSON. */
  | { readonly call: string; readonly input: unknown; readonly id?: string }
  /** Sends nothing until the promise resolves. */
  | { readonly hold: Promise<unknown> }
  | { readonly cut: true };

/** A well-formed answer, sent in the endpoint's format. */
export interface Answer {
  readonly parts: readonly AnswerPart[];
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number };
  readonly finish?: string;
}

export type Frame = string | { readonly hold: Promise<unknown> } | { readonly cut: true };
export type Dialect = "anthropic" | "responses" | "chat";

export function frames(dialect: Dialect, answer: Answer): readonly Frame[] {
  if (dialect === "anthropic") return anthropicFrames(answer);
  return dialect === "chat" ? chatFrames(answer) : responsesFrames(answer);
}

const event = (data: { readonly type: string; readonly [more: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const pieces = (text: string | readonly string[]): readonly string[] => (typeof text === "string" ? [text] : text);
const inputText = (input: unknown): string => (typeof input === "string" ? input : JSON.stringify(input));
const isCall = (part: AnswerPart): part is Extract<AnswerPart, { call: string }> => "call" in part;

function anthropicFrames({ parts, usage = { input: 10, output: 5 }, finish }: Answer): readonly Frame[] {
  const block = (index: number, start: object, deltas: readonly object[]): readonly Frame[] => [
    event({ type: "content_block_start", index, content_block: start }),
    ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
    event({ type: "content_block_stop", index }),
  ];
  const content = parts.flatMap((part, index): readonly Frame[] => {
    if ("hold" in part || "cut" in part) return [part];
    if ("say" in part)
      return block(
        index,
        { type: "text", text: "" },
        pieces(part.say).map((text) => ({ type: "text_delta", text })),
      );
    if ("call" in part) {
      const id = part.id ?? `toolu_${index}`;
      return block(index, { type: "tool_use", id, name: part.call, input: {} }, [
        { type: "input_json_delta", partial_json: inputText(part.input) },
      ]);
    }
    const signature = part.signature === undefined ? [] : [{ type: "signature_delta", signature: part.signature }];
    return block(index, { type: "thinking", thinking: "", signature: "" }, [
      { type: "thinking_delta", thinking: part.think },
      ...signature,
    ]);
  });
  const fresh = {
    input_tokens: usage.input - (usage.cached ?? 0),
    cache_read_input_tokens: usage.cached ?? 0,
    cache_creation_input_tokens: 0,
  };
  const stop = finish ?? (parts.some(isCall) ? "tool_use" : "end_turn");
  return [
    event({
      type: "message_start",
      message: { id: "msg_1", type: "message", role: "assistant", model: "fake", content: [], usage: { ...fresh, output_tokens: 1 } },
    }),
    ...content,
    event({ type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: usage.output } }),
    event({ type: "message_stop" }),
  ];
}

function chatFrames({ parts, usage, finish }: Answer): readonly Frame[] {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    data({ id: "chat_1", object: "chat.completion.chunk", model: "fake", choices: [{ index: 0, delta, finish_reason }] });
  let calls = 0;
  const content = parts.flatMap((part, at): readonly Frame[] => {
    if ("hold" in part || "cut" in part) return [part];
    if ("say" in part) return pieces(part.say).map((text) => chunk({ content: text }));
    if ("think" in part) return [chunk({ reasoning_content: part.think })];
    return [
      chunk({
        tool_calls: [
          {
            index: calls++,
            id: part.id ?? `call_${at}`,
            type: "function",
            function: { name: part.call, arguments: inputText(part.input) },
          },
        ],
      }),
    ];
  });
  const counted = usage && {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
  };
  return [
    chunk({ role: "assistant", content: "" }),
    ...content,
    chunk({}, finish ?? (parts.some(isCall) ? "tool_calls" : "stop")),
    ...(counted ? [data({ id: "chat_1", object: "chat.completion.chunk", model: "fake", choices: [], usage: counted })] : []),
    "data: [DONE]\n\n",
  ];
}

function responsesFrames({ parts, usage = { input: 10, output: 5 }, finish }: Answer): readonly Frame[] {
  const content = parts.flatMap((part, at): readonly Frame[] => {
    if ("hold" in part || "cut" in part) return [part];
    const item = (added: object, between: readonly Frame[], done: object): readonly Frame[] => [
      event({ type: "response.output_item.added", output_index: at, item: added }),
      ...between,
      event({ type: "response.output_item.done", output_index: at, item: done }),
    ];
    if ("say" in part) {
      const message = { type: "message", id: `msg_${at}`, role: "assistant", status: "completed", content: [] };
      const deltas = pieces(part.say).map((delta) =>
        event({ type: "response.output_text.delta", item_id: message.id, output_index: at, content_index: 0, delta }),
      );
      return item(message, deltas, message);
    }
    if ("call" in part) {
      const call = { type: "function_call", id: `fc_${at}`, call_id: part.id ?? `call_${at}`, name: part.call, status: "completed" };
      return item({ ...call, arguments: "" }, [], { ...call, arguments: inputText(part.input) });
    }
    const reasoning = { type: "reasoning", id: `rs_${at}`, summary: [] };
    const place = { item_id: reasoning.id, output_index: at, summary_index: 0 };
    const summary =
      part.think === ""
        ? []
        : [
            event({ type: "response.reasoning_summary_part.added", ...place }),
            event({ type: "response.reasoning_summary_text.delta", ...place, delta: part.think }),
            event({ type: "response.reasoning_summary_part.done", ...place }),
          ];
    return item({ ...reasoning, encrypted_content: null }, summary, { ...reasoning, encrypted_content: part.signature ?? null });
  });
  const response = { id: "resp_1", object: "response", created_at: 1, model: "fake" };
  const counted = {
    input_tokens: usage.input,
    output_tokens: usage.output,
    input_tokens_details: { cached_tokens: usage.cached ?? 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  return [
    event({ type: "response.created", response }),
    ...content,
    event({
      type: finish === undefined ? "response.completed" : "response.incomplete",
      response: { ...response, incomplete_details: finish === undefined ? null : { reason: finish }, usage: counted },
    }),
  ];
}
