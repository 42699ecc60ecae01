import { expect, test } from "vitest";
import { fittingNames } from "./fitting-names.ts";

const NAMES = ["src/dialog/composer.tsx", "src/compose.ts", "docs/COMPOSE.md", "src/parts/menu.tsx", "readme.md"];

test.each([
  ["compo", ["src/compose.ts", "docs/COMPOSE.md", "src/dialog/composer.tsx"]],
  ["dialog", ["src/dialog/composer.tsx"]],
  ["cmpser", ["src/dialog/composer.tsx"]],
  ["srpm", ["src/parts/menu.tsx"]],
  ["zzz", []],
])("[J53] %s fits", (typed, expected) => expect(fittingNames(NAMES, typed, 3)).toEqual(expected));

test("[J53] returns no more than requested", () => expect(fittingNames(NAMES, "", 2)).toHaveLength(2));
