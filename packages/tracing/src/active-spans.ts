import type { RootId } from "@colloquy/schema";
import { part, spanIdOf, traceIdOf } from "./span.ts";

type Step = Parameters<typeof part.step>[0];
type Work = { readonly rootId: RootId; readonly step: Step } | { readonly rootId: RootId; readonly call: string };

/** Only sampled traces are recorded below ours. */
const SAMPLED = 1;

/**
 * The spans of work in progress. They are sent when the log has their end; until then, with OpenTelemetry's API installed, other
 * libraries find them as the active span. Without it there is nobody to find them.
 */
export async function activeSpans() {
  const api = await installedApi();
  const contextOf = (work: Work) => ({ traceId: traceIdOf(work.rootId), spanId: spanIdOf(work.rootId, partOf(work)) });
  return {
    within<Result>(work: Work, run: () => Result): Result {
      if (!api) return run();
      const span = { ...contextOf(work), traceFlags: SAMPLED, isRemote: false };
      return api.context.with(api.trace.setSpanContext(api.context.active(), span), run);
    },
    parentOf(work: Work): string {
      const { traceId, spanId } = contextOf(work);
      return `00-${traceId}-${spanId}-0${SAMPLED}`;
    },
  };
}

const partOf = (work: Work): string => ("step" in work ? part.step(work.step) : part.call(work.call));

async function installedApi() {
  try {
    return await import("@opentelemetry/api");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
