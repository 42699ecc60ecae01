// What a test project is made of, for tests of Colloquy itself.
export { crashingStore } from "./crashing-store.ts";
export { MemoryLayers } from "./memory-layers.ts";
export { TestClock } from "./test-clock.ts";
export { toldModel } from "./told-model.ts";
