import type { Line, RootId, TreeEvent } from "@colloquy/schema";
import { npubOf } from "@colloquy/schema";
import { expect, test } from "vitest";
import { originOf } from "./origin.ts";
import { TreeThread } from "./tree-thread.ts";

const ROOT = "a".repeat(64) as RootId;
const [ANNA, BOB] = ["b".repeat(64), "c".repeat(64)];
const root = { id: ROOT, kind: 1111, pubkey: ANNA };
const here = { dialog: ROOT as never, course: 1 };
const created = originOf({ id: ROOT, kind: 1111 }, root);
const from = (id: string) => originOf({ id: id.repeat(64), kind: 1111 }, root);

function told(events: readonly object[], createdAs: string | undefined = created) {
  const thread = new TreeThread(ROOT, createdAs);
  const line = { v: 1, pos: 1, seq: 1, at: "", events: events.map((event) => ({ ...here, ...event })) } as unknown as Line<TreeEvent>;
  const said = thread.see(line).map(({ cause, is, agent, content, parent }) => [cause, is, agent, content, parent.id[0], parent.pubkey[0]]);
  return { thread, said, again: thread.see(line) };
}

const begun = [
  { type: "dialog.created", agent: "lead", title: "", taskDocPath: "" },
  { type: "message.added", by: npubOf(ANNA), content: "Hello", to: ["lead"], opens: ["lead"] },
];
const step = (text: string, more: object = {}) => ({
  type: "step.ended",
  agent: "lead",
  turn: 2,
  parts: text === "" ? [] : [{ saying: text }],
  ...more,
});

test("[NS1] [NS4] the text that ends a turn is the reply, text before it is not", () => {
  const { said, again } = told([
    ...begun,
    step("One moment."),
    step(""),
    step("Here it is.", { ends: true }),
    step("Too late.", { ends: true }),
  ]);
  expect(said).toEqual([
    [3, "partial", "lead", "One moment.", "a", "b"],
    [5, "reply", "lead", "Here it is.", "a", "b"],
  ]);
  expect(again).toEqual([]);
});

test("[NS1] each turn answers the event that opened it", () => {
  const { said } = told([
    ...begun,
    { type: "message.added", by: npubOf(BOB), msgId: from("d"), content: "And?", to: ["coder"], opens: ["coder"] },
    step("Done.", { agent: "coder", turn: 3, ends: true }),
    step("A long text, continued.", { ends: true, whole: "The whole of it." }),
  ]);
  expect(said).toEqual([
    [4, "reply", "coder", "Done.", "d", "c"],
    [5, "reply", "lead", "The whole of it.", "a", "b"],
  ]);
});

test("[NS4] a busy agent's acknowledgement answers the message", () => {
  const { said } = told([
    ...begun,
    { type: "message.added", by: npubOf(BOB), msgId: from("d"), content: "Still there?", to: ["lead"] },
    { type: "message.acknowledged", agent: "lead", message: 3, text: "Working." },
  ]);
  expect(said).toEqual([[4, "busy", "lead", "Working.", "d", "c"]]);
});

test("[NS1] what did not come from Nostr is not answered there", () => {
  const local = { type: "message.added", by: "owner", content: "Psst", to: ["lead"], opens: ["lead"] };
  expect(told([begun[0] ?? {}, local, step("Yes?", { ends: true })], undefined).said).toEqual([]);
  const { said } = told([...begun, step("Hi.", { ends: true }), local, step("Yes?", { turn: 4, ends: true })]);
  expect(said).toHaveLength(1);
  const inSide = { ...step("Below.", { ends: true }), dialog: "e".repeat(32) };
  expect(told([...begun, inSide]).said).toEqual([]);
});

test("[NS1] a copy publishes nothing of what the original was asked", () => {
  expect(told([...begun, { type: "dialog.copied", as: "fork", from: ROOT, at: 2 }, step("Hi.", { ends: true })]).said).toEqual([]);
});

test("[NS5] a turn that was given up is not answered", () => {
  expect(told([...begun, { type: "turn.ended", agent: "lead", turn: 2 }, step("Hi.", { ends: true })]).said).toEqual([]);
});
