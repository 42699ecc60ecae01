import type { Turn } from "@colloquy/bridge";
import { z } from "zod";
import { BadRequest } from "./errors.ts";

/** A request of either kind, read. */
export interface Asked {
  readonly model: string;
  readonly turns: readonly Turn[];
  readonly stream: boolean;
  /** The dialog that the client names. */
  readonly dialog?: string | undefined;
  readonly previous?: string | undefined;
  readonly background?: boolean | undefined;
  readonly includesUsage?: boolean | undefined;
}

const TextPart = z.looseObject({ type: z.enum(["text", "input_text", "output_text"]), text: z.string() });
const RefusalPart = z.looseObject({ type: z.literal("refusal"), refusal: z.string() });
const ImagePart = z.looseObject({
  type: z.enum(["image_url", "input_image"]),
  image_url: z.union([z.string(), z.looseObject({ url: z.string() })]),
});
const Content = z.union([z.string(), z.array(z.union([TextPart, RefusalPart, ImagePart])), z.null()]);
const Message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant"], { error: "system, developer, user or assistant" }),
  content: Content.optional(),
});
const Metadata = z.record(z.string(), z.unknown()).nullish();

/** What would need the client's own tools or a promised shape. An agent has its own. */
const absent = {
  tools: z.array(z.unknown()).max(0).nullish(),
  functions: z.array(z.unknown()).max(0).nullish(),
};
const common = { model: z.string().min(1), stream: z.boolean().nullish(), metadata: Metadata, ...absent };

const ChatRequest = z.looseObject({
  ...common,
  messages: z.array(Message).min(1),
  n: z.literal(1).nullish(),
  response_format: z.looseObject({ type: z.literal("text") }).nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
});

const ResponsesRequest = z.looseObject({
  ...common,
  input: z.union([z.string().min(1), z.array(z.union([Message, z.looseObject({ type: z.literal("reasoning") })])).min(1)]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  background: z.boolean().nullish(),
  text: z.looseObject({ format: z.looseObject({ type: z.literal("text") }).optional() }).nullish(),
});

export function readChat(body: unknown): Asked {
  const { model, stream, messages, metadata, stream_options } = parsed(ChatRequest, body);
  return {
    model,
    stream: stream ?? false,
    turns: messages.map(turnOf),
    dialog: dialogIn(metadata),
    includesUsage: stream_options?.include_usage,
  };
}

export function readResponses(body: unknown): Asked {
  const { model, stream, input, instructions, metadata, previous_response_id, background } = parsed(ResponsesRequest, body);
  const items = typeof input === "string" ? [{ role: "user" as const, content: input }] : input;
  // Reasoning that the client gives back is the model's own business.
  const turns = items.flatMap((item) => ("role" in item ? [turnOf(item as z.infer<typeof Message>)] : []));
  if (background && stream) throw new BadRequest("A response in the background is not streamed.", { param: "stream" });
  return {
    model,
    stream: stream ?? false,
    turns: instructions ? [{ role: "system", text: instructions, images: [] }, ...turns] : turns,
    dialog: dialogIn(metadata),
    previous: previous_response_id ?? undefined,
    background: background ?? undefined,
  };
}

function dialogIn(metadata: z.infer<typeof Metadata>): string | undefined {
  const named = metadata?.dialog;
  return typeof named === "string" ? named : undefined;
}

function turnOf({ role, content }: z.infer<typeof Message>): Turn {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : (content ?? []);
  const texts = parts.flatMap((part) => (part.type === "refusal" ? [String(part.refusal)] : "text" in part ? [String(part.text)] : []));
  const images = parts.flatMap((part) => ("image_url" in part ? [imageOf(part as z.infer<typeof ImagePart>)] : []));
  return { role: role === "developer" ? "system" : role, text: texts.join("\n"), images };
}

function imageOf({ image_url }: z.infer<typeof ImagePart>): Uint8Array {
  const url = typeof image_url === "string" ? image_url : image_url.url;
  const [, base64] = /^data:image\/[a-z+.-]+;base64,([A-Za-z0-9+/=\s]+)$/.exec(url) ?? [];
  if (base64 === undefined) throw new BadRequest("An image must be a data: URL with base64. Nothing is fetched.", { param: "image_url" });
  return Buffer.from(base64, "base64");
}

function parsed<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const param = issue?.path.map(String).join(".") ?? "";
  if (param in absent || param === "n" || param.startsWith("response_format") || param.startsWith("text"))
    throw new BadRequest(`${param} is not supported: an agent has its own tools and answers in its own words.`, {
      param,
      code: "unsupported_parameter",
    });
  throw new BadRequest(`${param === "" ? "Body" : param}: ${issue?.message ?? "invalid"}.`, { param });
}
