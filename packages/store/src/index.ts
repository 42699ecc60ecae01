export * from "./faults.ts";
export * from "./follow.ts";
export * from "./memory-store.ts";
export * from "./store.ts";
