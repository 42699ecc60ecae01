import type { StepRef } from "@colloquy/core";
import type { RootId } from "@colloquy/schema";

/** Work outside the log that has a span of its own: a model call, or a tool's call. */
export type SpannedWork = { readonly rootId: RootId; readonly step: StepRef } | { readonly rootId: RootId; readonly call: string };

/** How work in progress appears in traces. */
export interface WorkSpans {
  /** Runs the work inside its span, so that the spans of other libraries hang below it. */
  within<Result>(work: SpannedWork, run: () => Result): Result;
  /** The span as a `traceparent`, to pass on to other programs. */
  parentOf(work: SpannedWork): string;
}

/** Runs the work, inside its span if there are traces. */
export const within = <Result>(spans: WorkSpans | undefined, work: SpannedWork, run: () => Result): Result =>
  spans ? spans.within(work, run) : run();
