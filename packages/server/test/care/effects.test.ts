import { defineTool, OutcomeUnknown } from "@colloquy/runtime";
import { call, say } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { z } from "zod";
import { served } from "../support.ts";

const P = "/projects/shop";
const pay = defineTool({
  name: "pay",
  description: "Pays.",
  input: z.strictObject({ to: z.string() }),
  run: ({ to }) => {
    if (to === "ben") throw new OutcomeUnknown("The line was cut.");
    return `paid ${to}`;
  },
});

test("[EF8] the ledger is listed and an unknown outcome settled over HTTP", async () => {
  const s = await served({ lead: [call("pay", { to: "anna" }), call("pay", { to: "ben" }), say("Done.")] }, { tools: [pay] });
  const dialog = await s.project.dialogs.create({ content: "go" });
  await s.project.dialogs.quiet(dialog.id);
  await s.project.effects.list({ whole: true });
  const listed = await s.api("GET", `${P}/effects?dialog=${dialog.id}&limit=1`);
  expect(listed).toMatchObject({ status: 200, body: { effects: [{ what: '{"to":"ben"}', outcome: "unknown" }], isComplete: true } });
  const rest = await s.api("GET", `${P}/effects?after=${listed.body.next}`);
  expect(rest.body).toEqual({ effects: [expect.objectContaining({ what: '{"to":"anna"}', outcome: "done" })], isComplete: true });
  const { dialogs } = (await s.api("GET", `${P}/dialogs`)).body;
  expect(dialogs[0].unsettled).toMatchObject([{ tool: "pay", agent: "lead" }]);
  const [{ call: cid }] = listed.body.effects;
  const settle = (msgId: string, as: string) => s.api("POST", `${P}/calls/${cid}/settle`, { as, note: "Not there.", msgId });
  expect((await settle("m0", "perhaps")).status).toBe(400);
  const first = await settle("m1", "failed");
  expect(first.status).toBe(200);
  expect(await settle("m1", "failed")).toEqual(first);
  expect(await settle("m2", "done")).toMatchObject({ status: 409, body: { error: { code: "call_not_open" } } });
  expect((await s.api("GET", `${P}/effects?outcome=failed`)).body.effects).toMatchObject([{ call: cid, settled: { note: "Not there." } }]);
  expect((await s.api("GET", `${P}/effects?since=soon`)).status).toBe(400);
});
