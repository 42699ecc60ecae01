export { type Disk, realDisk } from "./disk.ts";
export { attempt, writeOne } from "./scribe.ts";
export type { Processes } from "./lock.ts";
export type { Pace } from "./pace.ts";
export { FileStore } from "./file-store.ts";
export { inspect, type InspectOptions, type Problem } from "./inspect.ts";
export { type FileStoreOptions, openFileStore } from "./open-file-store.ts";
export type { FoldEntry } from "./rebuild.ts";
export { repair, type RepairOptions } from "./repair.ts";
