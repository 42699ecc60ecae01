import type { Message } from "@a2a-js/sdk";
import { ContentTypeNotSupportedError } from "@a2a-js/sdk/errors";
import { z } from "zod";
import { malformed } from "./problem.ts";

/** A data part that answers a question. Choices are named by their labels. */
const Answer = z.strictObject({
  question: z.string(),
  shown: z.string(),
  choice: z.union([z.string(), z.array(z.string())]).optional(),
  content: z.string().optional(),
  values: z.record(z.string(), z.unknown()).optional(),
});
export type Answer = z.infer<typeof Answer>;

/** What a client's message says. */
export interface Given {
  readonly text: string;
  readonly images: readonly Uint8Array[];
  readonly answer?: Answer;
}

const ROLE_USER = 1;
const MAX_ID_LENGTH = 400;

/** Reads a message. What cannot be carried to an agent is refused, and nothing happens. */
export function readMessage(message: Message | undefined): Message & { readonly given: Given } {
  if (!message) throw malformed("message: missing.");
  const { messageId, role, parts } = message;
  if (messageId === "" || messageId.length > MAX_ID_LENGTH) throw malformed(`message.messageId: 1 to ${MAX_ID_LENGTH} characters.`);
  if ((role as number) !== ROLE_USER) throw malformed("message.role: must be ROLE_USER.");
  const texts: string[] = [];
  const images: Uint8Array[] = [];
  const answers: Answer[] = [];
  for (const { content, mediaType, filename } of parts) {
    if (content?.$case === "text") texts.push(content.value);
    else if (content?.$case === "url") texts.push(filename === "" ? content.value : `${filename}: ${content.value}`);
    else if (content?.$case === "raw") images.push(imageIn(content.value, mediaType));
    else if (content?.$case === "data") {
      const answer = answerIn(content.value);
      if (answer) answers.push(answer);
      else texts.push(JSON.stringify(content.value ?? null));
    } else throw malformed("message.parts: each part has text, data, url or raw.");
  }
  const [answer, another] = answers;
  if (another || (answer && parts.length > 1)) throw malformed("message.parts: an answer is a message of its own.");
  const text = texts.join("\n\n");
  if (!answer && images.length === 0 && text.trim() === "") throw malformed("message.parts: empty.");
  return { ...message, given: { text, images, ...(answer && { answer }) } };
}

function imageIn(bytes: Uint8Array, mediaType: string): Uint8Array {
  if (mediaType !== "" && !mediaType.startsWith("image/"))
    throw new ContentTypeNotSupportedError(`${mediaType.slice(0, 100)}: files are images, or links to files.`);
  return bytes;
}

/** Undefined if the data is no answer. Data that names a question and says nothing valid is refused, not sent to the agent. */
function answerIn(data: unknown): Answer | undefined {
  if (typeof data !== "object" || data === null || !("question" in data) || !("shown" in data)) return undefined;
  const read = Answer.safeParse(data);
  if (!read.success) throw malformed("An answer is {question, shown, choice?, content?, values?}.");
  return read.data;
}
