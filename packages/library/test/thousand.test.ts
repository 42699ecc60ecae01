import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openProject } from "@colloquy/library";
import { say, toldModel } from "@colloquy/testing/internals";
import { expect, onTestFinished, test } from "vitest";
import { roundTrip } from "./round-trip.ts";

/** The log of each tree in the folder. */
function logs(dir: string): Map<string, string> {
  const places = ["run", "done", "archive", "incoming"].map((place) => join(dir, ".dialogs", place)).filter((place) => existsSync(place));
  const log = (place: string, id: string) => readFileSync(join(place, id, "course-001.jsonl"), "utf8");
  return new Map(places.flatMap((place) => readdirSync(place).map((id) => [id, log(place, id)] as const)));
}

test("[CA19] 1,000 dialogs are exported, deleted and imported, and their logs are the same bytes", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-thousand-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const model = toldModel({ lead: () => say("Yes.") });
  const agents = [{ id: "lead", role: "You lead.", default: true }];
  const found: Record<string, Map<string, string>> = {};
  await roundTrip(
    () => openProject({ dir, agents, model: model.name, findModel: () => model, report: () => undefined }),
    1_000,
    (moment) => (found[moment] = logs(dir)),
  );
  expect([found["full"]?.size, found["empty"]?.size, found["back"]?.size]).toEqual([1_000, 0, 1_000]);
  for (const [id, text] of found["full"] ?? []) expect(found["back"]?.get(id)?.startsWith(text)).toBe(true);
});
