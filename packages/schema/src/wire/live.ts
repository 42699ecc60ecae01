import { z } from "zod";
import { DialogAddress } from "../ids.ts";

/** Where live output comes from: the dialog, the agent, and the generation of its course. */
const place = {
  dialog: DialogAddress,
  agent: z.string(),
  course: z.number().int(),
  genseq: z.number().int(),
};
const live = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.object({ type: z.literal(type), ...place, ...fields });
/** `offset`: the position of `text` in its segment. */
const chunk = { offset: z.number().int().nonnegative(), text: z.string() };

/** Live output. Never stored; the recorded step replaces it. */
export const LiveEvent = z.discriminatedUnion("type", [
  live("generating_start_evt", {}),
  live("thinking_start_evt", {}),
  live("thinking_chunk_evt", chunk),
  live("thinking_finish_evt", {}),
  live("saying_start_evt", {}),
  live("saying_chunk_evt", chunk),
  live("saying_finish_evt", {}),
  live("generating_finish_evt", {}),
  live("stream_error_evt", { message: z.string() }),
  /** A tool has started or ended. For people who watch. */
  live("tool_start_evt", { call: z.string(), tool: z.string(), input: z.unknown() }),
  live("tool_finish_evt", { call: z.string(), tool: z.string(), failed: z.boolean() }),
  /** Live output of a running tool. */
  live("tool_log_evt", { call: z.string(), tool: z.string(), text: z.string() }),
  /** The step is retried after this pause. */
  live("retry_evt", { message: z.string(), attempt: z.number().int(), pauseMs: z.number() }),
]);
export type LiveEvent = z.infer<typeof LiveEvent>;
