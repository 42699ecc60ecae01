import { expect, test } from "vitest";
import { longComponents, longHooks } from "./components.mjs";

const body = (lines: number) => Array.from({ length: lines }, () => "  void 0;").join("\n");

test("finds components of more than 80 lines, with their parameters", () => {
  const source = [
    `export function Short() {\n${body(78)}\n}`,
    `export function Long({\n  one,\n}: Other & {\n  readonly one: string;\n}) {\n${body(76)}\n}`,
    `const Held = memo(function Inner() {\n${body(79)}\n});`,
    `const Arrow = () => {\n${body(79)}\n};`,
  ].join("\n\n");
  expect(longComponents(source)).toEqual([
    { name: "Long", lines: 82 },
    { name: "Held", lines: 81 },
    { name: "Arrow", lines: 81 },
  ]);
});

test("finds hooks that are longer than they may be, and nothing but hooks", () => {
  const source = [
    `export function useShort() {\n${body(28)}\n}`,
    `export function useLong(\n  one: string,\n) {\n${body(27)}\n}`,
    `const useHeld = () => {\n${body(29)}\n};`,
    `export const useLine = (): string => useObservable(store);`,
    `function userNames() {\n${body(40)}\n}`,
  ].join("\n\n");
  expect(longHooks(source, 30)).toEqual([
    { name: "useLong", lines: 31 },
    { name: "useHeld", lines: 31 },
  ]);
});
