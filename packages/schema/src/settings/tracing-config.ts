import { z } from "zod";
import { address, values } from "./mcp-config.ts";

const TRACE_ID = "{traceId}";

/** Where traces and metrics are sent. The standard OTEL_ variables fill in what is not here. */
export const TracingConfig = z.strictObject({
  /** The collector's base address: `/v1/traces` and `/v1/metrics` are added. */
  url: address.optional(),
  headers: values.optional(),
  /** Sends messages, arguments and results. Without it: only who, when and how much. */
  content: z.boolean().default(false),
  service: z.string().min(1).optional(),
  /** The address of a trace, for people: "http://localhost:16686/trace/{traceId}". */
  open: z
    .string()
    .refine(
      (text) => text.includes(TRACE_ID) && /^https?:$/.test(URL.parse(text.replaceAll(TRACE_ID, "0"))?.protocol ?? ""),
      `an address that begins with http:// or https:// and contains ${TRACE_ID}`,
    )
    .optional(),
});
export type TracingConfig = z.infer<typeof TracingConfig>;

/** The page of one tree's trace. */
export const tracePage = (open: string, rootId: string): string => open.replaceAll(TRACE_ID, rootId.slice(0, 32));
