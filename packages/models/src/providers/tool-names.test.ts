import { expect, test } from "vitest";
import { legalToolName, toolNameReader } from "./tool-names.ts";

test("[M8] tool names are legal for every provider, unique, and can be mapped back", () => {
  const names = ["read_file", "github.search issues", "github.search_issues", "工具", "x".repeat(80)];
  const legal = names.map(legalToolName);
  expect(legal[0]).toBe("read_file");
  expect(new Set(legal).size).toBe(names.length);
  for (const name of legal) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  const read = toolNameReader(names.map((name) => ({ name, description: "", input: {} })));
  expect(legal.map(read)).toEqual(names);
  expect(read("never_offered")).toBe("never_offered");
});
