import { defineAgent, defineTool } from "@colloquy/library";
import { Fault } from "@colloquy/schema";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { ask, askPerson, call, crashEverywhere, fail, type Open, say, testProject } from "../src/index.ts";

/** A bank, and a team that may pay refunds from it. */
function support() {
  const refunds: string[] = [];
  const refund = defineTool({
    name: "refund",
    description: "Pays money back to a customer.",
    input: z.object({ orderId: z.string(), cents: z.number().int().positive() }),
    approval: ({ cents }) => cents > 5_000,
    // The bank recognises the call by its id, so repeating it after a crash is safe.
    repeatable: true,
    run: ({ orderId }, { callId }) => {
      if (!refunds.includes(callId)) refunds.push(callId);
      return `refunded ${orderId}`;
    },
  });
  const lead = defineAgent({ id: "lead", role: "You lead support. Let clerk check orders.", default: true });
  const clerk = defineAgent({ id: "clerk", role: "You check orders and pay refunds.", tools: [refund] });
  return { refunds, agents: [lead, clerk] };
}

const script = {
  lead: [ask("clerk", "check 1042"), say("Refunded.")],
  clerk: [call("refund", { orderId: "1042", cents: 9_000 }), say("done")],
};

test("[TE1][TE3][TE4] a large refund waits for a person, and is paid once", async () => {
  const { agents, refunds } = support();
  const t = await testProject({ agents, script });
  const dialog = await t.send("Order 1042 arrived broken.");
  expect(await t.questions()).toMatchObject([{ kind: "approval", agentId: "clerk" }]);
  await t.crash();
  await t.advance("3 days");
  await t.approve();
  expect(await dialog.result()).toBe("Refunded.");
  expect(refunds).toHaveLength(1);
});

test("[TE6] the refund is paid once, wherever the project crashes", async () => {
  const story = async (open: Open) => {
    const { agents, refunds } = support();
    const t = await open({ agents, script });
    const dialog = await t.send("Order 1042 arrived broken.");
    await t.approve({ by: "anna" });
    expect(await dialog.result()).toBe("Refunded.");
    expect(refunds).toHaveLength(1);
    const asked = (await dialog.events()).filter((event) => event.type === "question.asked");
    expect(asked).toHaveLength(1);
  };
  const { commits, runs } = await crashEverywhere(story);
  expect(runs).toBe(2 * commits + 1);
  expect(commits).toBeGreaterThan(5);
});

test("[TE6] if a crash breaks a story, the error names the commit", async () => {
  let lives = 0;
  const story = async (open: Open) => {
    lives += 1;
    const t = await open({ agents: support().agents, script: { lead: [say("hi")] } });
    await t.send("hello");
    if (lives === 4) throw new Error("the dog barked");
  };
  await expect(crashEverywhere(story)).rejects.toThrow("With a crash before commit 2 of 2: the dog barked");
  await expect(crashEverywhere(async () => undefined)).rejects.toThrow(/opened no project/);
});

test("[TE1] a script may be rules, or a function of the agent's request", async () => {
  const { agents } = support();
  const ruled = await testProject({
    agents,
    script: { rules: [{ when: { text: "/order (?<nr>\\d+)/" }, do: [{ wait: "2s" }, { say: "It is {{match.nr}}." }] }] },
  });
  const waiting = ruled.send("order 7");
  for (let moment = 0; moment < 20; moment++) await new Promise((go) => setImmediate(go));
  await ruled.advance("2s");
  expect(await (await waiting).result()).toBe("It is 7.");
  const shown = await testProject({ agents, script: { lead: ({ messages }) => say(`${messages.length}`) } });
  const dialog = await shown.send("one");
  expect(await (await dialog.send("two")).result()).toBe("3");
  expect(shown.requests).toHaveLength(2);
});

test("[TE2][TE4] a project is quiet while a step waits to be retried, until the clock advances", async () => {
  const busy = new Fault("model_overloaded", "later", "busy", { retryAfterMs: 60_000 });
  const t = await testProject({ agents: support().agents, script: { lead: [fail(busy), say("there")] } });
  const dialog = await t.send("hello");
  expect((await dialog.view()).state).toBe("working");
  await t.advance("61s");
  expect(await dialog.result()).toBe("there");
  await expect(t.advance("soon")).rejects.toThrow('"soon" is not a duration. Write for example "3 days"');
});

test("[TE5] an error says that a person must decide first, and which question is open", async () => {
  const two = { calls: [...(askPerson("One?").calls ?? []), ...(askPerson("Two?", { options: ["yes", "no"] }).calls ?? [])] };
  const t = await testProject({ agents: support().agents, script: { lead: [two, say("ok")] } });
  await expect(t.answer("yes")).rejects.toThrow("Nothing waits for a person now.");
  const dialog = await t.send("hello");
  await expect(dialog.result()).rejects.toThrow('The dialog waits for a person: "One?" (question). Answer it first.');
  await expect(t.answer("yes")).rejects.toThrow(/More than one question is open/);
  const [one] = await t.questions();
  await t.answer("1", one && { question: one.id });
  await t.answer({ choice: "yes" });
  expect(await dialog.result()).toBe("ok");
});

test("[TE3] a deadline passes without an answer", async () => {
  const t = await testProject({
    agents: support().agents,
    script: { lead: [askPerson("Now?", { deadline: "2h", options: ["yes", "no"], otherwise: "no" }), say("Then not.")] },
  });
  const dialog = await t.send("hello");
  await t.crash();
  await t.advance("2 hours");
  expect(await dialog.result()).toBe("Then not.");
  await t.close();
});

test("[TE7] a task goes to the agent that handles its kind, survives a crash, and waits for a person", async () => {
  const writer = defineAgent({ id: "writer", role: "You write.", handles: ["prd"], tools: ["tasks"], default: true });
  const t = await testProject({
    agents: [writer],
    script: {
      writer: [say('{"open_questions": ["For whom?"]}'), call("update_prd", { sectionKey: "aim", content: "For shops." }), say("Written.")],
    },
  });
  const { id } = await t.addTask({ kind: "prd", key: "aim", title: "The aim" });
  await t.runTasks();
  expect(t.project.tasks.get(id).status).toBe("blocked");
  await t.crash();
  await t.answer("Shops.");
  await t.runTasks();
  expect(t.project.tasks.get(id)).toMatchObject({ status: "closed", summary: "Written." });
  expect(t.file("prd/aim.md")).toBe("For shops.");
});

test("[TE8] results are typed; a script for an unknown agent or with too few steps is an error", async () => {
  const judge = defineAgent({ id: "judge", role: "You judge.", default: true, output: z.object({ verdict: z.enum(["yes", "no"]) }) });
  const t = await testProject({ agents: [judge], script: { judge: [say('{"verdict": "yes"}'), askPerson("Sure?")] } });
  const dialog = await t.send("Is it good?", { agent: judge });
  expectTypeOf(dialog.result()).resolves.toEqualTypeOf<{ verdict: "yes" | "no" }>();
  expect(await dialog.result()).toEqual({ verdict: "yes" });
  await t.crash();
  expect(await dialog.result()).toEqual({ verdict: "yes" });

  await dialog.send("And now?");
  await t.answer("Yes.");
  await expect(dialog.result()).rejects.toThrow(/^The dialog is stopped: The test defines no reply for step 3 of judge\./);
  await expect(testProject({ agents: [judge], script: { jugde: [say("x")] } })).rejects.toMatchObject({
    code: "unknown_agent",
    message: 'The script tells "jugde" what to do, and there is no such agent. The team: judge.',
  });
});
