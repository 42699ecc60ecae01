import { expect, test } from "vitest";
import { colloquy, project } from "../support.ts";

const SCRIPT = `rules:
  - when: { result: write_file }
    do: { say: "Painted." }
  - when: { result: askHuman, text: Blue }
    do: { call: { tool: write_file, input: { path: blue.txt, content: blue } } }
  - when: { result: askHuman }
    do: { say: "As you like." }
  - do: [{ call: { tool: askHuman, input: { tellaskContent: "Which colour?", options: [Red, Blue] } } }]
`;

test("[CP2][CP3][CP5] a dialog and its fork are the same until they part, and then each for itself", async () => {
  const dir = project(SCRIPT);
  await colloquy(dir, "new", "Paint the door");
  const [id = ""] = (await colloquy(dir, "ls")).stdout.split("\t");
  const [question = ""] = (await colloquy(dir, "questions")).stdout.split("\t");
  const fork = (await colloquy(dir, "fork", id)).stdout.trim();
  await colloquy(dir, "answer", question, "--choice", "1");
  const { comparison } = JSON.parse((await colloquy(dir, "compare", id, fork, "--json")).stdout) as {
    comparison: { same: number; last: { text: string }; sides: readonly { rows: readonly { kind: string; text: string }[] }[] };
  };
  expect(comparison.same).toBeGreaterThanOrEqual(2);
  expect(comparison.sides[0]?.rows.map(({ kind, text }) => `${kind} ${text}`)).toEqual(
    expect.arrayContaining([expect.stringContaining("Red"), "said As you like."]),
  );
  expect(comparison.sides[1]?.rows).toEqual([]);
  const piped = (await colloquy(dir, "compare", id, fork)).stdout;
  expect(piped).toMatch(/^1\t\tsteps\t\t1$/m);
  expect(piped).toMatch(/^1\t\d+\tsaid\tlead\tAs you like\.$/m);
  expect((await colloquy(dir, "compare", id)).code).toBe(2);
  expect((await colloquy(dir, "compare", id, "ffffff")).code).toBe(3);
});
