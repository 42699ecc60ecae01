import { expect, test } from "vitest";
import { type Listed, stateText } from "./dialog-state.ts";

const question = { agent: "coder", dialog: "side", kind: "question", askedAt: "2026-11-18T10:00:00.000Z" };
const asking = (count: number) =>
  ({
    rootId: "main",
    state: "asking",
    waitsFor: [],
    damaged: undefined,
    questions: Array.from({ length: count }, () => question),
  }) as never as Listed;

test("[K66] ls counts the open questions of a dialog that has several", () => {
  expect(stateText(asking(1), undefined)).toBe("waits for you via coder");
  expect(stateText(asking(3), undefined)).toBe("waits for you via coder, 3 questions");
  expect(stateText(asking(3), Date.parse("2026-11-18T12:00:00.000Z"))).toBe("waits for you (2 h) via coder, 3 questions");
});
