import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, call, crashEverywhere, say, testProject } from "colloquy/testing";
import { supportTeam } from "./team.ts";

const script = {
  lead: [ask("clerk", "check 1042"), say("Refunded.")],
  clerk: [call("refund", { orderId: "1042", cents: 9_000 }), say("done")],
};

test("a large refund waits for a person, and is paid once", async () => {
  const paid = new Map<string, number>();
  const t = await testProject({ agents: supportTeam(({ key, cents }) => paid.set(key, cents)), script });
  const dialog = await t.send("Order 1042 arrived broken.");
  const [question] = await t.questions();
  assert.equal(question?.kind, "approval");
  await t.crash(); // everything in memory is gone; opened again from the log
  await t.advance("3 days"); // the test's own clock
  await t.approve();
  assert.equal(await dialog.result(), "Refunded.");
  assert.deepEqual([...paid.values()], [9_000]);
});

test("a refund that is denied is not paid", async () => {
  const paid: string[] = [];
  const t = await testProject({
    agents: supportTeam(({ key }) => paid.push(key)),
    script: { ...script, clerk: [call("refund", { orderId: "1042", cents: 9_000 }), say("A person said no.")] },
  });
  await t.send("Order 1042 arrived broken.");
  await t.deny("The order was fine.");
  assert.deepEqual(paid, []);
});

test("wherever it crashes, the refund is paid once", async () => {
  const { runs } = await crashEverywhere(async (open) => {
    const paid = new Map<string, number>();
    const t = await open({ agents: supportTeam(({ key, cents }) => paid.set(key, cents)), script });
    const dialog = await t.send("Order 1042 arrived broken.");
    await t.approve();
    assert.equal(await dialog.result(), "Refunded.");
    assert.equal(paid.size, 1);
  });
  assert.ok(runs > 10);
});
