export { activeSpans } from "./active-spans.ts";
export { Follower, type FollowerClock, type TracingState } from "./follower.ts";
export { type LogEntry, projectEntries, treeEntries } from "./log-entries.ts";
export type { Metric } from "./metric.ts";
export { Sender, type Target } from "./sender.ts";
