import { call, say } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { served, TOKEN } from "../support.ts";

const team = ["lead", "coder"].map((id) => ({ id, name: id, role: "You work.", default: id === "lead" }));
const once = call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Do it." });

test("[HE4][HE6] health and metrics have what the check found and counted", async () => {
  const s = await served({ lead: [once, say("Done.")], coder: [say("Coded.")] }, { agents: team });
  const dialog = await s.project.dialogs.create({ content: "go" });
  await s.project.dialogs.quiet(dialog.id);
  expect((await s.api("GET", "/health")).body.checked).toEqual({ trees: 0, findings: 0 });
  await s.project.checkHealth();
  const { body } = await s.api("GET", "/health");
  expect(body).toMatchObject({ status: "ok", checked: { trees: 1, findings: 0, at: expect.any(String) as string } });
  expect(body.findings).toBeUndefined();
  const stranger = await s.api("GET", "/health", undefined, {});
  expect(stranger).toMatchObject({ status: 200, body: { checked: { trees: 1 } } });
  const metrics = await (await fetch(`${s.server.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text();
  for (const line of [
    'colloquy_health_trees_checked{project="shop"} 1',
    'colloquy_health_findings{project="shop"} 0',
    'colloquy_side_dialogs_completed_total{project="shop"} 1',
    'colloquy_questions_open_by_age{project="shop",age="under 1h"} 0',
    'colloquy_calls_unsettled{project="shop"} 0',
    'colloquy_registry_sessions{project="shop"} 0',
    "colloquy_event_loop_delay_seconds",
    "colloquy_store_bytes",
  ])
    expect(metrics).toContain(line);
});

test("[HE3] a round rests after each tree, and stops when the project closes", async () => {
  const s = await served({ lead: [say("Done.")] });
  for (let nth = 0; nth < 3; nth++) await s.project.dialogs.quiet((await s.project.dialogs.create({ content: "go" })).id);
  const watching = s.project.watchHealth();
  // The test's clock stands still, so the check rests after the first tree.
  await expect.poll(() => s.project.healthReport().trees).toBe(1);
  s.clock.advance(3_600_000);
  await expect.poll(() => s.project.healthReport().trees).toBe(2);
  await s.server.close();
  await s.project.close();
  await watching;
  expect(s.project.healthReport().trees).toBe(2);
});
