export { call, calls, fail, say, type Telling, type Told } from "@colloquy/testing";
export { crashingStore, TestClock, toldModel } from "@colloquy/testing/parts";
export * from "./first.ts";
export * from "./world.ts";
