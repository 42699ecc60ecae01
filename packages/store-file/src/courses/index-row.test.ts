import { expect, test } from "vitest";
import { entryFrom } from "./index-row.ts";

const entry = {
  rootId: "0".repeat(32),
  status: "running",
  hot: false,
  agent: "lead",
  title: "One",
  createdAt: "2026-01-01T00:00:00.000Z",
  lastModified: "2026-01-01T00:00:00.000Z",
};

test("[L82] an index of an earlier version says resting; it is read as idle", () => {
  expect(entryFrom(JSON.stringify({ ...entry, state: "resting" }))?.state).toBe("idle");
  expect(entryFrom(JSON.stringify({ ...entry, state: "waiting" }))?.state).toBe("waiting");
});
