import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { checkDirection } from "./direction.mjs";

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

test("imports along the arrows pass, and so do words in comments, strings and tests", () => {
  expect(checkDirection(fixture("direction-good"))).toEqual([]);
});

test("every wrong import and every impurity of core is named with its file", () => {
  expect(checkDirection(fixture("direction-bad"))).toEqual([
    "packages/core/src/index.ts imports @colloquy/store, which packages/core may not",
    "packages/core/src/index.ts uses await, but core is pure: pass it in",
    "packages/core/src/index.ts uses Date.now, but core is pure: pass it in",
    "packages/core/src/index.ts uses new Date(), but core is pure: pass it in",
    "packages/core/src/index.ts uses Math.random, but core is pure: pass it in",
    "packages/runtime/src/index.ts imports @colloquy/store-file, which packages/runtime may not",
    "packages/runtime/src/index.ts imports @colloquy/store-file, which packages/runtime may not",
    "packages/schema/src/index.ts imports node:crypto, but packages/schema must run in a browser",
    "packages/store/src/index.ts imports ../../schema/src/index.ts: import the package's index instead",
  ]);
});
