import type { CallId, ModelMessage } from "@colloquy/schema";
import { expect, test } from "vitest";
import { nextStep } from "./next-step.ts";
import { type RemoteTask, toOutput } from "./state.ts";

const user = (text: string): ModelMessage => ({ role: "user", text });
const said = (saying: string): ModelMessage => ({ role: "assistant", parts: [{ saying }], model: undefined });
let calls = 0;

/** A call and its result, as a step and the next request show them. */
function call(tool: string, output: string, failed = false): ModelMessage[] {
  const id = `c${(calls += 1)}` as CallId;
  const part = { call: id, tool, input: {}, kind: "effects" as const };
  return [
    { role: "assistant", parts: [part], model: undefined },
    { role: "result", call: id, tool, output, failed },
  ];
}

const task = (state: RemoteTask["state"], text = "", asked?: string): string =>
  toOutput({ task: "t1", context: "c1", state, text, ...(asked !== undefined && { asked }) });
const next = (messages: readonly ModelMessage[], mayAskBack = true) => nextStep({ name: "Shipper", messages, mayAskBack });
const sent = (text: string, more: object = {}) => ({ call: { tool: "a2a_send", input: { text, ...more } } });

test("[AA14] what a member elsewhere is shown is sent, and what comes back is said", () => {
  expect(next([user("Ship it.")])).toEqual(sent("Ship it."));
  const working = [user("Ship it."), ...call("a2a_send", task("working"))];
  expect(next(working)).toEqual({ call: { tool: "a2a_wait", input: { task: "t1", context: "c1" } } });
  expect(next([...working, ...call("a2a_wait", task("completed", "Done."))])).toEqual({ say: "Done." });
  expect(next([...working, ...call("a2a_wait", task("completed"))]).say).toMatch(/Shipper is done/);
});

test("[AA14] a message that came meanwhile is sent as well", () => {
  const [ask = user(""), result = user("")] = call("a2a_send", task("completed", "Done."));
  expect(next([user("Ship it."), ask, result, user("And this.")])).toEqual({ say: "Done.", ...sent("And this.", { context: "c1" }) });
});

test("[AA15] a question goes to the asker, or is said where there is none, and the answer goes on with the task", () => {
  const asked = [user("Ship it."), ...call("a2a_send", task("input-required", "Which way?", "q1"))];
  expect(next(asked)).toEqual({ call: { tool: "tellaskBack", input: { tellaskContent: "Which way?" } } });
  expect(next(asked, false)).toEqual({ say: "Which way?" });
  expect(next([...asked, said("Which way?"), user("By sea.")], false)).toEqual(sent("By sea.", { task: "t1", context: "c1" }));
  expect(next([...asked, ...call("tellaskBack", "By sea.")])).toEqual(sent("By sea.", { task: "t1", context: "c1" }));
});

test("[AA15] the same question again is left to the people there", () => {
  const answered = [user("Ship it."), ...call("a2a_send", task("input-required", "Which way?", "q1")), ...call("tellaskBack", "By sea.")];
  const again = [...answered, ...call("a2a_send", task("input-required", "Which way?", "q1"))];
  expect(next(again)).toEqual({ call: { tool: "a2a_wait", input: { task: "t1", context: "c1", past: "q1" } } });
  const another = [...answered, ...call("a2a_send", task("input-required", "Which day?", "q2"))];
  expect(next(another)).toEqual({ call: { tool: "tellaskBack", input: { tellaskContent: "Which day?" } } });
});

test("[AA15] a message that comes while the asker has not answered sends nothing", () => {
  const asked = [user("Ship it."), ...call("a2a_send", task("input-required", "Which way?", "q1"))];
  const interim = "tellaskBack is in progress. The answer will come as a message.";
  expect(next([...asked, ...call("tellaskBack", interim), user("Hurry.")]).call).toBeUndefined();
});

test("[AA17] after a task that is over, its context goes on", () => {
  const over = [user("One."), ...call("a2a_send", task("completed", "First.")), said("First.")];
  expect(next([...over, user("Two.")])).toEqual(sent("Two.", { context: "c1" }));
});

test("[AA18] what fails is said", () => {
  for (const state of ["failed", "canceled", "rejected", "auth-required"] as const)
    expect(next([user("Ship it."), ...call("a2a_send", task(state, "No."))])).toEqual({
      say: `Shipper did not do it (${state}). It says: No.`,
    });
  expect(next([user("Ship it."), ...call("a2a_send", "It refuses the token (401).", true)]).say).toContain("refuses the token");
  expect(next([user("Ship it."), ...call("a2a_send", "{}\nnonsense")]).say).toContain("could not be asked");
});
