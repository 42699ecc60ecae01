import type { Turn } from "@colloquy/bridge";
import { Refused } from "@colloquy/schema";
import { z } from "zod";

const TextPart = z.looseObject({ type: z.literal("text"), text: z.string() });
const ImagePart = z.looseObject({
  type: z.literal("image"),
  source: z.looseObject({ type: z.literal("data"), value: z.string() }, { error: "only the data of an image, not an address" }),
});
const Message = z.looseObject({
  id: z.string().min(1).max(400),
  role: z.string(),
  content: z.unknown().optional(),
});
const UserContent = z.union([z.string(), z.array(z.union([TextPart, ImagePart]))]);
const OtherContent = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]).nullish();

const Resume = z.looseObject({
  interruptId: z.string(),
  status: z.enum(["resolved", "cancelled"]),
  payload: z.unknown().optional(),
});
export type Resume = z.infer<typeof Resume>;

const RunAgentInput = z.looseObject({
  threadId: z.string().min(1).max(400),
  runId: z.string().min(1).max(400),
  messages: z.array(Message),
  resume: z.array(Resume).nullish(),
});

/** A message with the client's id for it. */
export interface GivenTurn extends Turn {
  readonly id: string;
}

export interface RunInput {
  readonly threadId: string;
  readonly runId: string;
  readonly turns: readonly GivenTurn[];
  readonly resume: readonly Resume[];
}

/** A run's input. Tools, state and context of the front end are not used. */
export function readInput(body: unknown): RunInput {
  const read = RunAgentInput.safeParse(body);
  if (!read.success) throw invalid(read.error);
  const { threadId, runId, messages, resume } = read.data;
  return { threadId, runId, resume: resume ?? [], turns: messages.flatMap(turnOf) };
}

function turnOf({ id, role, content }: z.infer<typeof Message>): readonly GivenTurn[] {
  if (role === "user") {
    const read = UserContent.safeParse(content);
    if (!read.success) throw invalid(read.error);
    const parts = typeof read.data === "string" ? [{ type: "text" as const, text: read.data }] : read.data;
    const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    const images = parts.flatMap((part) => (part.type === "image" ? [Buffer.from(part.source.value, "base64")] : []));
    return [{ id, role, text, images }];
  }
  const known = role === "developer" ? "system" : role;
  if (known !== "assistant" && known !== "system") return [];
  const other = OtherContent.safeParse(content);
  if (!other.success) return [];
  const text = typeof other.data === "string" ? other.data : (other.data ?? []).map((part) => part.text ?? "").join("\n");
  return [{ id, role: known, text, images: [] }];
}

function invalid(error: z.ZodError): Refused {
  const [issue] = error.issues;
  const at = issue?.path.map(String).join(".") ?? "";
  return new Refused({ code: "bad_request", message: `${at === "" ? "Body" : at}: ${issue?.message ?? "invalid"}.` });
}
