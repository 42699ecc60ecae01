import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openProject } from "../src/index.ts";

/** Written before the index said `idle` and log lines ended with a checksum. */
const written = join(import.meta.dirname, "fixtures/earlier-version");
const ASKING = "01a1f08b6469c2643ced791269d423be";

const lines = (dir: string) =>
  readFileSync(join(dir, ".dialogs/run", ASKING, "course-001.jsonl"), "utf8")
    .trim()
    .split("\n");

test("[L84] a project of an earlier version opens with all it has, and its open question continues the work", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-earlier-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  cpSync(written, dir, { recursive: true });
  renameSync(join(dir, "dialogs"), join(dir, ".dialogs"));
  const before = lines(dir);
  const project = await openProject({ dir, env: {} });
  try {
    expect(project.dialogs.list().map(({ title, state }) => [title, state])).toEqual([
      ["And order 1041?", "idle"],
      ["Order 1042 arrived broken, and the customer is unhappy. What do we do?", "asking"],
    ]);
    const [question] = await project.questions.list();
    expect(question).toMatchObject({ headline: "What do we offer Ines Brandt for the broken bowl?", kind: "question", status: "open" });
    await project.questions.answer(question?.id ?? "", { choice: "Money back", by: "anna" });
    expect(await project.dialogs.get(ASKING).result()).toContain("Who decided: you.");
    expect(readFileSync(join(dir, "answers/1042.md"), "utf8")).toContain("Your 38.00 are on their way back");
  } finally {
    await project.close();
  }
  expect(lines(dir).slice(0, before.length)).toEqual(before);
});
