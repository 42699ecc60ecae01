// Building blocks for the tests of Colloquy itself. Only tests import this entry.
export { crashingStore } from "./crashing-store.ts";
export { call, calls, fail, say, type Telling, type Told } from "./index.ts";
export { first } from "./first.ts";
export { MemoryLayers } from "./memory-layers.ts";
export { TestClock } from "./test-clock.ts";
export { toldModel } from "./told-model.ts";
export * from "./world.ts";
