import type { TreeEvent } from "@colloquy/schema";
import { describe, expect, test } from "vitest";
import { kills } from "./faults/kills.ts";
import { Ledger, type Told } from "./faults/ledger.ts";

// The short form of `npm run faults`.
test("[C12] the built server, killed again and again under load: nothing acknowledged is lost, nothing happens twice", async () => {
  const { problems } = await kills(7, 12, () => {});
  expect(problems).toEqual([]);
}, 240_000);

describe("the ledger notices", () => {
  const tree = "0".repeat(32);
  // Only what the ledger reads.
  const event = (fields: object): TreeEvent => fields as never;
  const log = (...events: readonly object[]): Told[] => events.map((one, nth) => ({ seq: nth + 1, event: event(one), last: true }));
  const message = { type: "message.added", by: "owner", content: "pay k1", opens: ["lead"] };
  const step = {
    type: "step.ended",
    agent: "lead",
    turn: 1,
    step: 1,
    parts: [{ call: "c1", tool: "run_command", input: { command: "echo k1 >> paid" } }],
  };
  const started = { type: "call.started", call: "c1" };
  const ended = { type: "call.ended", call: "c1", output: "booked" };
  const asked = { type: "question.asked", question: "q1" };
  const closed = { type: "question.closed", question: "q1", as: "answered", content: "red" };

  function ledger(...told: readonly Told[][]): Ledger {
    const made = new Ledger();
    made.acknowledged("m1", "pay k1", tree, 1);
    for (const events of told) made.check(tree, events);
    return made;
  }

  test("[C13] nothing, if all is well", () => {
    const made = ledger(log(message), log(message, step, started, ended, asked, closed));
    made.answered("q1", "red", 6);
    made.check(tree, log(message, step, started, ended, asked, closed));
    made.checkEffects(new Map([["k1", 1]]), true);
    expect(made.problems).toEqual([]);
  });

  test.each([
    ["a lost message", log(step)],
    ["a message that is recorded twice", log(message, message)],
    ["a gap", [{ seq: 2, event: event(message), last: true }]],
    ["half of a commit", [{ seq: 1, event: event(message), last: false }]],
    ["a step that ended twice", log(message, step, step)],
    ["a call that began twice", log(message, step, started, started)],
    ["a call that ended twice", log(message, step, started, ended, ended)],
    ["a question that was closed twice", log(message, asked, closed, closed)],
    ["a question that was asked twice", log(message, asked, asked)],
    ["an ask that was answered twice", log(message, { type: "ask.answered", ask: "a1" }, { type: "ask.answered", ask: "a1" })],
  ])("[C13] %s", (_what, events) => {
    expect(ledger(events).problems).not.toEqual([]);
  });

  test("[C13] events that were sent and are gone, or have changed", () => {
    expect(ledger(log(message, step), log(message)).problems).not.toEqual([]);
    expect(ledger(log(message, step), log(message, started)).problems).not.toEqual([]);
  });

  test("[C13] a lost answer, another one that counts, and two that were accepted", () => {
    const lost = ledger();
    lost.answered("q1", "red", 3);
    lost.check(tree, log(message, asked));
    expect(lost.problems).not.toEqual([]);
    const other = ledger();
    other.answered("q1", "blue", 3);
    other.check(tree, log(message, asked, closed));
    expect(other.problems).not.toEqual([]);
    const two = ledger();
    two.answered("q1", "red", 3);
    two.answered("q1", "blue", 4);
    expect(two.problems).not.toEqual([]);
  });

  test("[C13] another receipt for the same message", () => {
    const made = ledger();
    made.acknowledged("m1", "pay k1", tree, 5);
    expect(made.problems).not.toEqual([]);
  });

  test.each([
    ["an effect twice", new Map([["k1", 2]])],
    ["a result without an effect", new Map()],
    [
      "an effect without a call",
      new Map([
        ["k1", 1],
        ["k2", 1],
      ]),
    ],
  ])("[C13] %s", (_what, paid) => {
    const made = ledger(log(message, step, started, ended));
    made.checkEffects(paid, true);
    expect(made.problems).not.toEqual([]);
  });
});
