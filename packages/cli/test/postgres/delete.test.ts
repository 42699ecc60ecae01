import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openProject } from "@colloquy/library";
import { openPostgresStore, storeAddress } from "@colloquy/store-postgres";
import { say, toldModel } from "@colloquy/testing/internals";
import { expect, onTestFinished, test } from "vitest";
import { roundTrip } from "../../../library/test/round-trip.ts";
import { newDatabase } from "../../../store-postgres/test/database.ts";

test("[CA19] dialogs in a database are exported, deleted and imported, and their logs are the same", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-deleted-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const { url, run } = await newDatabase();
  const model = toldModel({ lead: () => say("Yes.") });
  const agents = [{ id: "lead", role: "You lead.", default: true }];
  const open = async () => {
    const store = await openPostgresStore(storeAddress(url, "shop"), { place: "here", claims: "all" });
    return openProject({ dir, store, agents, model: model.name, findModel: () => model, report: () => undefined });
  };
  const left: Promise<unknown>[] = [];
  await roundTrip(open, 200, (moment) => {
    if (moment === "empty") left.push(run("select count(*)::int as lines from colloquy_shop.lines where stream <> 'project'"));
  });
  expect(left).toHaveLength(1);
});
