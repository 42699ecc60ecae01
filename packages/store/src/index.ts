export * from "./cluster.ts";
export * from "./deleted.ts";
export type { DocumentSwap, StoredDocument, StoredDocuments } from "./documents.ts";
export * from "./faults.ts";
export * from "./follow.ts";
export * from "./log-cursor.ts";
export * from "./memory-store.ts";
export type { Past, PastLine } from "./past.ts";
export * from "./store.ts";
