export type { Disk } from "./disk/disk.ts";
export { attempt, writeOne } from "./courses/scribe.ts";
export { FileStore } from "./file-store.ts";
export { inspect, type Problem } from "./inspect/inspect.ts";
export { type FileStoreOptions, openFileStore } from "./open-file-store.ts";
export type { Folded, KnownTree, Meaning } from "./inspect/meaning.ts";
export { repair } from "./repair/repair.ts";
