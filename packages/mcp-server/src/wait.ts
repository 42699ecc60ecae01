import type { ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";

const DEFAULT_WAIT_MS = 60_000;
const MAX_WAIT_MS = 24 * 60 * 60 * 1000;
/** Clients give up a request that is silent for a minute; progress resets that. */
const PROGRESS_MS = 10_000;

export const timeoutMs = z
  .number()
  .int()
  .min(0)
  .max(MAX_WAIT_MS)
  .optional()
  .describe(`How long to wait at most, in milliseconds; ${DEFAULT_WAIT_MS} by default. Afterwards, call again.`);

/** Waits until the work is done, the time is over or the caller cancels. Reports progress to callers that want it. */
export async function waiting(
  { mcpReq }: ServerContext,
  { timeoutMs: limitMs = DEFAULT_WAIT_MS, message }: { readonly timeoutMs?: number | undefined; readonly message: string },
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const token = mcpReq._meta?.progressToken;
  let progress = 0;
  const tell = () => {
    progress += 1;
    // The client has cancelled the request.
    if (token !== undefined)
      mcpReq.notify({ method: "notifications/progress", params: { progressToken: token, progress, message } }).catch(() => undefined);
  };
  tell();
  const telling = setInterval(tell, PROGRESS_MS);
  try {
    await work(AbortSignal.any([mcpReq.signal, AbortSignal.timeout(limitMs)]));
  } finally {
    clearInterval(telling);
  }
}
