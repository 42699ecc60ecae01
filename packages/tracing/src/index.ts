export { activeSpans } from "./active-spans.ts";
export type { FollowerClock } from "./follower.ts";
export { type LogEntry, projectEntries, treeEntries } from "./log-entries.ts";
export type { Metric } from "./metric.ts";
export { Sender, type Target } from "./sender.ts";
export { TracingThread, type TracingState } from "./tracing-thread.ts";
