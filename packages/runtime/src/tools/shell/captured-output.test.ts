import fc from "fast-check";
import { expect, test } from "vitest";
import { CapturedOutput } from "./captured-output.ts";
import { readableOutput } from "./readable-output.ts";

const captured = (text: string, keptBytes?: number): CapturedOutput => {
  const output = new CapturedOutput(keptBytes);
  output.add(Buffer.from(text));
  return output;
};

test("[H11] of any output in any chunks the beginning and the end are kept", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.array(fc.stringMatching(/^[a-z]{0,30}$/), { maxLength: 12 }), (kept, chunks) => {
      const output = new CapturedOutput(kept);
      for (const chunk of chunks) output.add(Buffer.from(chunk));
      const all = chunks.join("");
      const left = all.length - 2 * kept;
      expect(output.bytes).toBe(all.length);
      expect(output.text()).toBe(left > 0 ? `${all.slice(0, kept)}\n… ${left} bytes left out …\n${all.slice(-kept)}` : all);
    }),
  );
});

test("[ST17] a long output is read in a thread, which the signal ends", async () => {
  const { signal } = new AbortController();
  expect(await captured("\u001B[31mred\n".repeat(50_000)).readable(signal)).toEqual({
    text: "red\n".repeat(50_000),
    failedOnRequirements: false,
  });
  const stop = new AbortController();
  const reading = captured("\u001B".repeat(200_000)).readable(stop.signal);
  stop.abort(new Error("stopped"));
  await expect(reading).rejects.toThrow("stopped");
});

test.each([
  ["prd ".repeat(700_000), false],
  ["prd\n".repeat(700_000), false],
  [`${"prd\nread-only file system ".repeat(100_000)}`, false],
  ["device or resource busy ".repeat(120_000), false],
  [`${"x ".repeat(1_000_000)}prd/a.md: Read-only file system`, true],
  ["bash: prd/a.md: Read-only file system\n", true],
  ["EROFS: read-only file system, prd/a.md", false],
  ["Device or resource busy: prd: Device or resource busy", true],
  ["prd/a.md\nRead-only file system", false],
])("[ST17] it is read once to see whether requirements were written: %.30s", (text, failed) => {
  expect(readableOutput({ head: Buffer.from(text), tail: Buffer.alloc(0), left: 0 }).failedOnRequirements).toBe(failed);
});
