export * from "./crashing-store.ts";
export * from "./first.ts";
export * from "./test-clock.ts";
export * from "./told-model.ts";
export * from "./world.ts";
