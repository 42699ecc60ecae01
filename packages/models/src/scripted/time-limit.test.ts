import { expect, test } from "vitest";
import { withTimeLimit } from "./time-limit.ts";

const late = () => new Error("late");
const never = new Int32Array(new SharedArrayBuffer(4));

test("[ST12] work that gets hardly any of the processor's time is not late", () => {
  let attempts = 0;
  const work = () => {
    attempts += 1;
    if (attempts <= 5) Atomics.wait(never, 0, 0, 60_000); // as if other programs had the processor
    return "done";
  };
  expect(withTimeLimit(work, late)).toBe("done");
  expect(attempts).toBe(6);
});

test("[ST12] work that never ends is late, and its own errors are passed on", () => {
  expect(() => withTimeLimit(() => /^(a+)+$/.test(`${"a".repeat(60)}!`), late)).toThrow("late");
  expect(() =>
    withTimeLimit(() => {
      throw new Error("of its own");
    }, late),
  ).toThrow("of its own");
});
